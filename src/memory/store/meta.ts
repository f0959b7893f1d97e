import { type Database, readMeta, writeMeta } from '../../storage/index.ts';

const HASH_KEY = 'hash_key';

/** The store's own secret, from which tokens and the hashes of forgotten texts are made; 32 random bytes, never exported. */
export function hashKeyOf(db: Database): Buffer {
  const hex = readMeta(db, HASH_KEY);
  if (hex === undefined) throw new Error('the store has no hash key');
  return Buffer.from(hex, 'hex');
}

export function writeHashKey(db: Database, key: Uint8Array): void {
  writeMeta(db, HASH_KEY, Buffer.from(key).toString('hex'));
}

/** Counts how often vectors were removed or replaced; a scan cache of another count is out of date. */
export function vectorGeneration(db: Database): number {
  return Number(readMeta(db, 'vector_generation') ?? 0);
}
