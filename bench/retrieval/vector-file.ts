import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const HASH_BYTES = 16;

export interface CachedVector {
  readonly vector: Float32Array;
  readonly unknownShare: number;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}

/** Vectors by the hash of their text in one append-only file for each fingerprint: embedding all sets takes an hour. */
export class VectorFile {
  readonly #path: string;
  readonly #dimension: number;
  readonly #vectors = new Map<string, CachedVector>();

  constructor(path: string, dimension: number) {
    this.#path = path;
    this.#dimension = dimension;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) return;
    const bytes = readFileSync(path);
    const size = HASH_BYTES + 4 + dimension * 4;
    for (let at = 0; at + size <= bytes.length; at += size) {
      const start = bytes.byteOffset + at + HASH_BYTES;
      const values = new Float32Array(bytes.buffer.slice(start, start + 4 + dimension * 4));
      this.#vectors.set(bytes.toString('hex', at, at + HASH_BYTES), {
        vector: values.subarray(1),
        unknownShare: values[0] ?? 0,
      });
    }
  }

  get(text: string): CachedVector | undefined {
    return this.#vectors.get(hashOf(text).toString('hex'));
  }

  add(text: string, { vector, unknownShare }: CachedVector): void {
    const hash = hashOf(text);
    if (vector.length !== this.#dimension)
      throw new Error(`a vector of ${vector.length} values in a file of ${this.#dimension}`);
    appendFileSync(this.#path, Buffer.concat([hash, Buffer.from(Float32Array.of(unknownShare, ...vector).buffer)]));
    this.#vectors.set(hash.toString('hex'), { vector, unknownShare });
  }
}
