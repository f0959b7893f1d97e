import type { Database } from '../../storage/index.ts';
import { contentHash } from '../draft.ts';
import { bumpVectorGeneration } from '../store/index-entry.ts';
import { writeVector } from '../store/vectors.ts';

/** A passage without a vector of some space. */
export interface WaitingPassage {
  readonly key: number;
  readonly entryId: string;
  readonly text: string;
}

/** Passages looked through in one go; bounds a turn of the event loop to a few milliseconds. */
const LOOKED_THROUGH = 8_192;

/**
 * The newest waiting passages with a key below `below`, looking through {@link LOOKED_THROUGH} keys. `next` is where to
 * go on, 0 at the end.
 */
export function findWaiting(
  db: Database,
  spaceKey: number,
  below: number,
  limit: number,
): { readonly passages: readonly WaitingPassage[]; readonly next: number } {
  const from = Math.max(1, below - LOOKED_THROUGH);
  const keys = db.all<{ key: number }>(
    `SELECT p.key FROM passage p WHERE p.key < ? AND p.key >= ?
       AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.passage_key = p.key AND v.space_key = ?) ORDER BY p.key DESC LIMIT ?`,
    [below, from, spaceKey, limit],
  );
  const passages = readTexts(
    db,
    keys.map(({ key }) => key),
  );
  const last = keys.at(-1)?.key;
  const next = keys.length === limit && last !== undefined ? last : from;
  return { passages, next: next <= 1 ? 0 : next };
}

/** One more than the largest passage key. */
export function endOfPassages(db: Database): number {
  return (db.get<{ key: number | null }>('SELECT MAX(key) AS key FROM passage')?.key ?? 0) + 1;
}

function readTexts(db: Database, keys: readonly number[]): WaitingPassage[] {
  const rows = db.all<{ key: number; id: string; start: number; end: number; text: string }>(
    `SELECT p.key, i.id, p.start, p."end", r.text FROM passage p JOIN entry e ON e.key = p.entry_key
     JOIN entry_identity i ON i.key = e.key JOIN revision r ON r.key = e.revision_key
     WHERE p.key IN (SELECT value FROM json_each(?)) ORDER BY p.key DESC`,
    [JSON.stringify(keys)],
  );
  return rows.map(({ key, id, start, end, text }) => ({ key, entryId: id, text: text.slice(start, end) }));
}

/** A vector made for a passage as it was a moment ago. */
export interface MadeVector {
  readonly passage: WaitingPassage;
  readonly vector: Float32Array;
  readonly unknownShare: number;
}

/**
 * Keeps vectors whose passages still have the text that they were made for. Inside a write. Gives how many were kept;
 * one that another process has made meanwhile is not made again.
 */
export function keepVectors(db: Database, spaceKey: number, made: readonly MadeVector[]): number {
  const present = new Map(
    readTexts(
      db,
      made.map(({ passage }) => passage.key),
    ).map((passage) => [passage.key, passage.text]),
  );
  let kept = 0;
  let replaced = 0;
  for (const { passage, vector, unknownShare } of made) {
    if (present.get(passage.key) !== passage.text) continue;
    const textHash = contentHash(passage.text);
    const known = db.get<{ text_hash: Uint8Array }>(
      'SELECT text_hash FROM vector WHERE passage_key = ? AND space_key = ?',
      [passage.key, spaceKey],
    );
    if (known !== undefined && Buffer.from(known.text_hash).equals(textHash)) continue;
    if (known !== undefined) replaced += 1;
    writeVector(db, { passageKey: passage.key, spaceKey, vector, unknownShare, textHash });
    kept += 1;
  }
  if (replaced > 0) bumpVectorGeneration(db);
  return kept;
}
