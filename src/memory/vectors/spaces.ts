import type { Space } from '../../embedding/index.ts';
import type { Database } from '../../storage/index.ts';
import { contentHash } from '../draft.ts';
import { bumpVectorGeneration } from '../store/index-entry.ts';
import { countAllVectors, countVectors, tallyPassages } from '../store/tally.ts';
import { ensureSpace, type SpaceRow } from '../store/vectors.ts';

/** How long the vectors of a space that was replaced stay, in milliseconds: 7 days. */
export const OLD_SPACE_MS = 7 * 24 * 60 * 60 * 1000;

/** How much of a store one space covers. */
export interface SpaceCoverage {
  /** Passages of the store. */
  readonly total: number;
  /** Those with a vector of this space. */
  readonly done: number;
  readonly waiting: number;
  /** Vectors of other spaces; they are kept for a time and never compared with these. */
  readonly unused: number;
}

/** The counts that the store keeps. Without a space everything waits. */
export function coverageOf(db: Database, spaceKey: number | undefined): SpaceCoverage {
  const total = tallyPassages(db).n;
  const own = spaceKey === undefined ? 0 : countVectors(db, spaceKey);
  const done = Math.min(own, total);
  return { total, done, waiting: total - done, unused: countAllVectors(db) - own };
}

/**
 * The space that an embedder fills, made where it is new. A space that another one has replaced stays replaced, so that
 * an older program that is still running cannot undo a newer one; only `revive`, a person's or client's explicit
 * re-embedding, fills it again. Gives undefined for one that stays replaced.
 */
export function spaceToFill(db: Database, space: Space, at: number, revive: boolean): SpaceRow | undefined {
  const row = ensureSpace(db, space, at);
  if (row.state !== 'old') return row;
  if (!revive) return undefined;
  db.run("UPDATE space SET state = 'filling', at = ? WHERE key = ?", [at, row.key]);
  return { ...row, state: 'filling' };
}

/** Makes a space that covers everything the one that is searched. Inside a write; true when it has just become so. */
export function promoteIfComplete(db: Database, spaceKey: number, at: number): boolean {
  const state = db.get<{ state: string }>('SELECT state FROM space WHERE key = ?', [spaceKey])?.state;
  if (state !== 'filling' || coverageOf(db, spaceKey).waiting > 0) return false;
  db.run("UPDATE space SET state = 'old', at = ? WHERE state = 'active'", [at]);
  db.run("UPDATE space SET state = 'active', at = ? WHERE key = ?", [at, spaceKey]);
  bumpVectorGeneration(db);
  return true;
}

/**
 * Removes vectors of spaces that were replaced more than 7 days ago, at most `limit` rows. The row of the space stays:
 * it says that the space was replaced. Inside a write; gives how many were removed.
 */
export function dropOldVectors(db: Database, at: number, limit: number): number {
  const { changes } = db.run(
    `DELETE FROM vector WHERE key IN (SELECT v.key FROM vector v JOIN space s ON s.key = v.space_key
       WHERE s.state = 'old' AND s.at <= ? LIMIT ?)`,
    [at - OLD_SPACE_MS, limit],
  );
  if (changes > 0) bumpVectorGeneration(db);
  return changes;
}

/** Whether vectors wait to be dropped; a cheap question before a write. */
export function hasOldVectors(db: Database, at: number): boolean {
  return (
    db.get(
      "SELECT 1 FROM space s WHERE s.state = 'old' AND s.at <= ? AND EXISTS (SELECT 1 FROM vector v WHERE v.space_key = s.key)",
      [at - OLD_SPACE_MS],
    ) !== undefined
  );
}

/** A vector that belongs to another text than its passage has now. */
export interface StaleVector {
  readonly key: number;
}

/**
 * Looks through `limit` vectors of a space from `after` on for those whose text is another one now. `next` is where to
 * go on; undefined at the end.
 */
export function findStaleVectors(
  db: Database,
  spaceKey: number,
  after: number,
  limit: number,
): { readonly stale: readonly StaleVector[]; readonly next: number | undefined } {
  const rows = db.all<{ key: number; text_hash: Uint8Array; text: string | null; start: number; end: number }>(
    `SELECT v.key, v.text_hash, r.text, p.start, p."end" FROM vector v
     LEFT JOIN passage p ON p.key = v.passage_key LEFT JOIN entry e ON e.key = p.entry_key
     LEFT JOIN revision r ON r.key = e.revision_key WHERE v.space_key = ? AND v.key > ? ORDER BY v.key LIMIT ?`,
    [spaceKey, after, limit],
  );
  const stale = rows.filter(
    ({ text_hash, text, start, end }) =>
      text === null || !Buffer.from(contentHash(text.slice(start, end))).equals(text_hash),
  );
  return { stale, next: rows.length < limit ? undefined : rows.at(-1)?.key };
}

/** Removes vectors, so that their passages wait again. Inside a write. */
export function dropVectors(db: Database, vectors: readonly StaleVector[]): void {
  if (vectors.length === 0) return;
  db.run('DELETE FROM vector WHERE key IN (SELECT value FROM json_each(?))', [
    JSON.stringify(vectors.map(({ key }) => key)),
  ]);
  bumpVectorGeneration(db);
}
