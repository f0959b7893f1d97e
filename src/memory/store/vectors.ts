import type { Space } from '../../embedding/index.ts';
import type { Database } from '../../storage/index.ts';

/** Float32 values as the store keeps them: little-endian bytes. */
function toBlob(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Bytes from the store as float32; copied, since a driver's buffer may sit at any offset. */
function fromBlob(blob: Uint8Array): Float32Array {
  const copy = new Uint8Array(blob.byteLength);
  copy.set(blob);
  return new Float32Array(copy.buffer);
}

/** The same without a copy where the buffer's place allows it; for values that are read at once and not kept. */
export function viewBlob(blob: Uint8Array): Float32Array {
  return blob.byteOffset % 4 === 0
    ? new Float32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2)
    : fromBlob(blob);
}

/** The vectors of all passages of an entry in one space, in order; `undefined` unless every passage has one. */
export function readVectors(db: Database, entryKey: number, spaceKey: number): Float32Array[] | undefined {
  const rows = db.all<{ data: Uint8Array | null }>(
    `SELECT v.data FROM passage p LEFT JOIN vector v ON v.passage_key = p.key AND v.space_key = ? WHERE p.entry_key = ? ORDER BY p.n`,
    [spaceKey, entryKey],
  );
  const vectors = rows.flatMap(({ data }) => (data === null ? [] : [fromBlob(data)]));
  return rows.length > 0 && vectors.length === rows.length ? vectors : undefined;
}

export interface SpaceRow {
  readonly key: number;
  readonly fingerprint: string;
  readonly state: 'filling' | 'active' | 'old';
}

/** The row of a space; `undefined` where the store has not seen it yet. */
export function findSpace(db: Database, fingerprint: string): SpaceRow | undefined {
  return db.get<SpaceRow>('SELECT key, fingerprint, state FROM space WHERE fingerprint = ?', [fingerprint]);
}

/** The space that is searched, where there is one. */
export function activeSpace(db: Database): SpaceRow | undefined {
  return db.get<SpaceRow>("SELECT key, fingerprint, state FROM space WHERE state = 'active'");
}

/** The row of a space, made where it is new; the first one of a store is active at once, a later one has to fill. */
export function ensureSpace(db: Database, space: Space, at: number): SpaceRow {
  const known = findSpace(db, space.fingerprint);
  if (known !== undefined) return known;
  const state = activeSpace(db) === undefined ? 'active' : 'filling';
  const { lastInsertRowid } = db.run('INSERT INTO space (fingerprint, parts, state, at) VALUES (?, ?, ?, ?)', [
    space.fingerprint,
    JSON.stringify(space.parts),
    state,
    at,
  ]);
  return { key: lastInsertRowid, fingerprint: space.fingerprint, state };
}

/** One vector of one passage; an older one of the same space is replaced. `unknownShare` is a share of tokens, 0 to 1. */
export function writeVector(
  db: Database,
  row: {
    readonly passageKey: number;
    readonly spaceKey: number;
    readonly vector: Float32Array;
    readonly unknownShare: number;
    readonly textHash: Uint8Array;
  },
): void {
  // Not REPLACE: what that removes, no trigger sees.
  db.run('DELETE FROM vector WHERE passage_key = ? AND space_key = ?', [row.passageKey, row.spaceKey]);
  db.run('INSERT INTO vector (passage_key, space_key, data, unknown, text_hash) VALUES (?, ?, ?, ?, ?)', [
    row.passageKey,
    row.spaceKey,
    toBlob(row.vector),
    Math.round(row.unknownShare * 1000),
    row.textHash,
  ]);
}
