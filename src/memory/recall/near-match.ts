import type { EmbeddedText } from '../../embedding/index.ts';
import { tokenise } from '../../text/index.ts';
import type { Draft } from '../draft.ts';
import type { Entry } from '../model.ts';
import { isNearScore, isRestatement, profileText, similarity } from '../near.ts';
import { splitPassages, type TokenCounter } from '../passages.ts';

/** A text of more than half as many terms again, or less than half as many, is no restatement. */
const LEAST_LENGTH_RATIO = 0.5;

/** What is known of an entry before its text is looked at closely. */
export interface NearCandidate {
  readonly entry: Entry;
  /** Number of tokens. */
  readonly length: number;
}

/** The entries that restate a whole query, by their words alone: for each draft of the query those of its kind. */
export function findRestatements(
  drafts: readonly Draft[],
  candidates: readonly NearCandidate[],
): { readonly draft: Draft; readonly entries: readonly Entry[] }[] {
  return drafts.flatMap((draft) => {
    const own = profileText(draft.text);
    const length = Math.max(1, tokenise(draft.text).length);
    const entries = candidates
      .filter((candidate) => {
        const ratio = candidate.length / length;
        if (candidate.entry.kind !== draft.kind || ratio < LEAST_LENGTH_RATIO || ratio > 1 / LEAST_LENGTH_RATIO)
          return false;
        return isRestatement(own, profileText(candidate.entry.text));
      })
      .map(({ entry }) => entry);
    return entries.length === 0 ? [] : [{ draft, entries }];
  });
}

/** The texts whose vectors a near check compares. */
export function passageTexts(text: string, countTokens: TokenCounter): string[] {
  return splitPassages(text, countTokens).map(({ start, end }) => text.slice(start, end));
}

/**
 * How near a restatement is, as `remember` would find it; 0 unless it would be refused as a near-duplicate. `own` and
 * `stored` are vectors of all passages, where there are any.
 */
export function nearEvidence(
  draft: Draft,
  own: readonly EmbeddedText[] | undefined,
  entry: Entry,
  stored: readonly Float32Array[] | undefined,
): number {
  const score = similarity(
    { profile: profileText(draft.text), ...(own === undefined ? {} : { vectors: own.map(({ vector }) => vector) }) },
    { profile: profileText(entry.text), ...(stored === undefined ? {} : { vectors: stored }) },
  );
  return isNearScore(score) ? score : 0;
}
