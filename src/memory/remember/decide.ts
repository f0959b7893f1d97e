import type { Database } from '../../storage/index.ts';
import { polarity } from '../../text/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryState } from '../model.ts';
import { type ComparedText, isNearScore, isRestatement, profileText, similarity, type TextProfile } from '../near.ts';
import { readEntries } from '../store/entries.ts';
import { isForgotten } from '../store/forgotten.ts';
import { readVectors } from '../store/vectors.ts';
import type { SimilarEntry } from './request.ts';

/** What the store says of a draft's identity. */
export type Identity =
  | { readonly decision: 'new' }
  | { readonly decision: 'merge'; readonly key: number; readonly reopen: boolean }
  | { readonly decision: 'update'; readonly key: number }
  | { readonly decision: 'superseded'; readonly key: number; readonly newerKey: number | undefined }
  | { readonly decision: 'forgotten' };

interface Match {
  readonly key: number;
  readonly state: EntryState;
  readonly superseded_by: number | null;
}

/** Equal statement, or equal home: decided by hashes alone, exact under any load. */
export function findIdentity(db: Database, draft: Draft): Identity {
  const matches = db.all<Match>(
    `SELECT key, state, superseded_by FROM entry INDEXED BY entry_content WHERE content_hash = ?1 AND state IN ('active', 'quarantined')
     UNION ALL SELECT key, state, superseded_by FROM entry INDEXED BY entry_inactive WHERE content_hash = ?1 AND state NOT IN ('active', 'quarantined')`,
    [draft.contentHash],
  );
  const live = matches.find(({ state }) => state === 'active' || state === 'quarantined');
  if (live !== undefined) return { decision: 'merge', key: live.key, reopen: false };
  if (isForgotten(db, draft) || matches.some(({ state }) => state === 'retracted')) return { decision: 'forgotten' };
  const superseded = matches.find(({ state }) => state === 'superseded');
  if (superseded !== undefined) {
    return { decision: 'superseded', key: superseded.key, newerKey: superseded.superseded_by ?? undefined };
  }
  const closed = matches.find(({ state }) => state === 'closed');
  if (closed !== undefined) return { decision: 'merge', key: closed.key, reopen: true };
  if (draft.sourceKey !== undefined) {
    const home = db.get<{ key: number }>("SELECT key FROM entry WHERE source_key = ? AND state IN ('active', 'quarantined')", [draft.sourceKey]);
    if (home !== undefined) return { decision: 'update', key: home.key };
  }
  return { decision: 'new' };
}

/** What the near check found among some entries. */
export interface NearReport {
  /** The most alike restatement over the threshold. */
  readonly duplicate?: { readonly key: number; readonly id: string; readonly score: number };
  /** Alike over the threshold, but another statement; at most five, most alike first. */
  readonly similar: readonly (SimilarEntry & { readonly key: number })[];
  /** Same subject, opposite polarity. */
  readonly conflicts: readonly { readonly key: number; readonly id: string }[];
  /** Same signature, another fix. */
  readonly alternatives: readonly { readonly key: number; readonly id: string }[];
}

const EMPTY_REPORT: NearReport = { similar: [], conflicts: [], alternatives: [] };
const MAX_SIMILAR = 5;

/** Equal once negations are set aside, and negated in one of the two only. */
function isContradiction(a: TextProfile, b: TextProfile, textA: string, textB: string): boolean {
  const negationsA = polarity(textA);
  const negationsB = polarity(textB);
  if ((negationsA.length === 0) === (negationsB.length === 0)) return false;
  const strip = (profile: TextProfile, negations: readonly string[]): TextProfile => {
    const taken = new Set(negations);
    return {
      stems: profile.stems.filter((stem) => !taken.has(stem)),
      hard: new Set([...profile.hard].filter((token) => !taken.has(token))),
      terms: profile.terms,
    };
  };
  return isRestatement(strip(a, negationsA), strip(b, negationsB));
}

/**
 * Compares a draft with the entries of the given keys (same kind, live). All over the threshold are checked, not only
 * the first. `spaceKey` and `vectors` are the active space and the draft's own vectors in it, where there are any.
 */
export function compareNear(
  db: Database,
  draft: Draft,
  keys: readonly number[],
  vectors: { readonly spaceKey: number; readonly own: readonly Float32Array[] } | undefined,
): NearReport {
  if (keys.length === 0) return EMPTY_REPORT;
  const own: ComparedText = { profile: profileText(draft.text), ...(vectors === undefined ? {} : { vectors: vectors.own }) };
  let duplicate: NearReport['duplicate'];
  const similar: (SimilarEntry & { key: number })[] = [];
  const conflicts: { key: number; id: string }[] = [];
  const alternatives: { key: number; id: string }[] = [];
  const sameSignature = new Set(
    draft.signatureKey === undefined
      ? []
      : db.all<{ entry_key: number }>('SELECT entry_key FROM signature WHERE key = ?', [draft.signatureKey]).map((row) => row.entry_key),
  );
  for (const entry of readEntries(db, keys)) {
    if (entry.kind !== draft.kind || entry.state !== 'active') continue;
    // The same error with another fix is worth keeping however alike the two read.
    if (sameSignature.has(entry.key)) {
      alternatives.push({ key: entry.key, id: entry.id });
      continue;
    }
    const profile = profileText(entry.text);
    const stored = vectors === undefined ? undefined : readVectors(db, entry.key, vectors.spaceKey);
    const score = similarity(own, { profile, ...(stored === undefined ? {} : { vectors: stored }) });
    if (isContradiction(own.profile, profile, draft.text, entry.text)) conflicts.push({ key: entry.key, id: entry.id });
    if (!isNearScore(score)) continue;
    if (isRestatement(own.profile, profile)) {
      if (duplicate === undefined || score > duplicate.score) duplicate = { key: entry.key, id: entry.id, score };
    } else similar.push({ key: entry.key, id: entry.id, score });
  }
  similar.sort((a, b) => b.score - a.score);
  return { ...(duplicate === undefined ? {} : { duplicate }), similar: similar.slice(0, MAX_SIMILAR), conflicts, alternatives };
}
