import type { Database } from '../../storage/index.ts';
import { polarity, tokenise } from '../../text/index.ts';
import { makeBag, sharedTerms } from '../bag.ts';
import type { Draft } from '../draft.ts';
import type { EntryState } from '../model.ts';
import {
  bestMeanCosine,
  type ComparedText,
  isNearScore,
  isRestatement,
  profileText,
  similarity,
  type TextProfile,
} from '../near.ts';
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
    const home = db.get<{ key: number }>(
      "SELECT key FROM entry WHERE source_key = ? AND state IN ('active', 'quarantined')",
      [draft.sourceKey],
    );
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
  /** Every entry that is in one of the above, those beyond their limits included. */
  readonly keys: readonly number[];
}

const EMPTY_REPORT: NearReport = { similar: [], conflicts: [], alternatives: [], keys: [] };
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

/** The vectors of a draft and the space that they are in. */
export interface DraftSpace {
  readonly spaceKey: number;
  readonly own: readonly Float32Array[];
}

/**
 * Compares a draft with the entries of the given keys (same kind, live). All over the threshold are checked, not only
 * the first. `vectors` are the draft's own in the active space, where there are any.
 */
export function compareNear(
  db: Database,
  draft: Draft,
  keys: readonly number[],
  vectors: DraftSpace | undefined,
): NearReport {
  if (keys.length === 0) return EMPTY_REPORT;
  const sameSignature = new Set(draft.signatureKey === undefined ? [] : keysOfSignature(db, draft.signatureKey));
  const plausible = keys.filter((key) => sameSignature.has(key) || isPlausible(db, draft, key, vectors));
  if (plausible.length === 0) return EMPTY_REPORT;
  const own: ComparedText = {
    profile: profileText(draft.text),
    ...(vectors === undefined ? {} : { vectors: vectors.own }),
  };
  let duplicate: NearReport['duplicate'];
  const found = new Set<number>();
  const similar: (SimilarEntry & { key: number })[] = [];
  const conflicts: { key: number; id: string }[] = [];
  const alternatives: { key: number; id: string }[] = [];
  for (const entry of readEntries(db, plausible)) {
    const { key, id } = entry;
    if (entry.kind !== draft.kind || entry.state !== 'active') continue;
    // The same error with another fix is worth keeping however alike the two read.
    if (sameSignature.has(key)) {
      alternatives.push({ key, id });
      found.add(key);
      continue;
    }
    const profile = profileText(entry.text);
    const stored = vectors === undefined ? undefined : readVectors(db, key, vectors.spaceKey);
    const score = similarity(own, { profile, ...(stored === undefined ? {} : { vectors: stored }) });
    if (isContradiction(own.profile, profile, draft.text, entry.text)) {
      conflicts.push({ key, id });
      found.add(key);
    }
    if (!isNearScore(score)) continue;
    found.add(key);
    if (!isRestatement(own.profile, profile)) similar.push({ key, id, score });
    else if (duplicate === undefined || score > duplicate.score) duplicate = { key, id, score };
  }
  similar.sort((a, b) => b.score - a.score);
  return {
    ...(duplicate === undefined ? {} : { duplicate }),
    similar: similar.slice(0, MAX_SIMILAR),
    conflicts,
    alternatives,
    keys: [...found],
  };
}

function keysOfSignature(db: Database, signatureKey: string): number[] {
  return db
    .all<{ entry_key: number }>('SELECT entry_key FROM signature WHERE key = ?', [signatureKey])
    .map((row) => row.entry_key);
}

/** What is less alike than this is neither near nor a contradiction; reading its text would be in vain. */
const LEAST_COSINE = 0.7;
const LEAST_SHARED_TERMS = 0.6;

/** A look at vectors or term bags alone, which rules out nearly every neighbour at a tenth of the cost. */
function isPlausible(db: Database, draft: Draft, key: number, vectors: DraftSpace | undefined): boolean {
  const stored = vectors === undefined ? undefined : readVectors(db, key, vectors.spaceKey);
  const cosine = vectors === undefined || stored === undefined ? undefined : bestMeanCosine(vectors.own, stored);
  if (cosine !== undefined) return cosine >= LEAST_COSINE;
  const bag = db.get<{ bag: Uint8Array | null }>(
    `SELECT COALESCE(e.bag, (SELECT bag FROM passage WHERE entry_key = e.key LIMIT 1)) AS bag FROM entry e WHERE e.key = ?`,
    [key],
  )?.bag;
  return bag === undefined || bag === null || sharedTerms(makeBag(tokenise(draft.text)), bag) >= LEAST_SHARED_TERMS;
}
