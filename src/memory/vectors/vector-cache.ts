import { createVectorIndex, type VectorIndex } from '../../embedding/index.ts';
import type { Database, Store } from '../../storage/index.ts';
import { vectorGeneration } from '../store/meta.ts';
import { activeSpace, findSpace, viewBlob } from '../store/vectors.ts';

/** A passage and how alike it is to what was searched for. */
export interface PassageHit {
  readonly passageKey: number;
  /** -1 to 1. */
  readonly cosine: number;
}

export interface VectorSearchOptions {
  /** Only these passages; those without a vector are left out. */
  readonly candidates?: readonly number[];
  /** The row of a space other than the active one. */
  readonly spaceKey?: number;
}

/** Rows read in one turn of the event loop: about 4 ms. */
const SLICE = 512;

/**
 * From so many rows on the index holds its vectors as 24-bit fixed point in two planes: scores move by less than a
 * millionth, a scan reads a third of the bytes, and a row takes 1,156 of them instead of 1,536.
 */
const SPLIT_ROWS = 15_000;

/** A passage of which the vocabulary knows less than four fifths has a vector that says nothing; per mille. */
const MAX_UNKNOWN = 200;

interface Loaded {
  readonly spaceKey: number;
  readonly generation: number;
  readonly index: VectorIndex;
  /** Key of the last row that was read. */
  lastKey: number;
}

/**
 * The vectors of one store in memory, for one space at a time. Loads at the first search, then reads what is new
 * before each search; what other processes removed or replaced makes it load anew.
 */
export class VectorCache {
  readonly #store: Store;
  #loaded: Loaded | undefined;
  #refreshing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Passages with a usable vector, as of the last search. */
  get size(): number {
    return this.#loaded?.index.size ?? 0;
  }

  /** The `k` passages most alike to a vector of the same space, best first; none for `k` 0 or where the store has no such space. */
  async search(vector: Float32Array, k: number, options: VectorSearchOptions = {}): Promise<PassageHit[]> {
    if (k < 1) return [];
    const loaded = await this.#upToDate(options.spaceKey, vector.length);
    if (loaded === undefined) return [];
    const { candidates } = options;
    const hits = await loaded.index.searchAsync(vector, k, candidates === undefined ? {} : { candidates });
    return hits.map(({ id, score }) => ({ passageKey: id, cosine: score }));
  }

  /** Reads what a search in a space would have to read first; resolves when a search would find it done. */
  async prepare(fingerprint: string, dimension: number): Promise<void> {
    const space = findSpace(this.#store.db, fingerprint);
    if (space !== undefined) await this.#upToDate(space.key, dimension);
  }

  close(): void {
    this.#closed = true;
    this.#loaded = undefined;
  }

  /** One refresh at a time; each search waits for its own. */
  #upToDate(spaceKey: number | undefined, dimension: number): Promise<Loaded | undefined> {
    const refreshed = this.#refreshing.then(() => this.#refresh(spaceKey, dimension));
    this.#refreshing = refreshed.catch(() => undefined);
    return refreshed;
  }

  async #refresh(asked: number | undefined, dimension: number): Promise<Loaded | undefined> {
    const { db } = this.#store;
    const spaceKey = asked ?? activeSpace(db)?.key;
    if (spaceKey === undefined) return undefined;
    const generation = vectorGeneration(db);
    let loaded = this.#loaded;
    if (loaded === undefined || loaded.spaceKey !== spaceKey || loaded.generation !== generation) {
      loaded = {
        spaceKey,
        generation,
        index: createVectorIndex({ dimension, fingerprint: String(spaceKey), splitRows: SPLIT_ROWS }),
        lastKey: 0,
      };
    }
    while (!this.#closed) {
      const rows = readSlice(db, loaded);
      for (const row of rows) {
        if (row.unknown <= MAX_UNKNOWN && row.data.byteLength === dimension * 4)
          loaded.index.set(row.passage_key, viewBlob(row.data));
        loaded.lastKey = row.key;
      }
      if (rows.length < SLICE) break;
      await new Promise(setImmediate);
    }
    this.#loaded = loaded;
    return loaded;
  }
}

interface VectorRow {
  readonly key: number;
  readonly passage_key: number;
  readonly data: Uint8Array;
  readonly unknown: number;
}

function readSlice(db: Database, { spaceKey, lastKey }: Loaded): VectorRow[] {
  return db.all<VectorRow>(
    'SELECT key, passage_key, data, unknown FROM vector WHERE key > ? AND space_key = ? ORDER BY key LIMIT ?',
    [lastKey, spaceKey, SLICE],
  );
}
