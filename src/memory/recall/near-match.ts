import type { EmbeddedText } from '../../embedding/index.ts';
import type { Database } from '../../storage/index.ts';
import { tokenise } from '../../text/index.ts';
import { makeBag, sharedTerms } from '../bag.ts';
import type { Draft } from '../draft.ts';
import type { Entry } from '../model.ts';
import { isNearScore, isRestatement, profileText, similarity } from '../near.ts';
import { splitPassages, type TokenCounter } from '../passages.ts';
import { readEntries } from '../store/entries.ts';
import type { Candidate } from './candidates.ts';

/** A restatement misses a tenth of the stems at most, and so shares far more of the terms than this (Jaccard). */
const LEAST_SHARED_TERMS = 0.6;

/** The entries that restate a whole query, by their words alone: for each draft of the query those of its kind. */
export function findRestatements(
  db: Database,
  drafts: readonly Draft[],
  candidates: readonly Candidate[],
): { readonly draft: Draft; readonly entries: readonly Entry[] }[] {
  return drafts.flatMap((draft) => {
    const bag = makeBag(tokenise(draft.text));
    const alike = candidates.filter(
      (candidate) => candidate.kind === draft.kind && sharedTerms(bag, candidate.bag) >= LEAST_SHARED_TERMS,
    );
    if (alike.length === 0) return [];
    const own = profileText(draft.text);
    const entries = readEntries(
      db,
      alike.map(({ key }) => key),
    ).filter(({ text }) => isRestatement(own, profileText(text)));
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
