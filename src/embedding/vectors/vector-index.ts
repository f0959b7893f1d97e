import { throwIfCancelled } from '../../kernel/index.ts';
import { RowStore, SEGMENT_ROWS, SPLIT_ROWS } from './row-store.ts';
import { SlotMap } from './slot-map.ts';
import { createTopK, type Scored } from './top-k.ts';

/** Dot products run over 16 values at a time. */
const DIMENSION_STEP = 16;
/** A longer stretch of scanning lets the event loop turn; far below the 50 ms that a call may block. */
const SLICE_MS = 8;
/** So many of the pre-scan are scored exactly: `k` times this, and some. Recall@10 stays above .98 on random vectors. */
const RESCORE_FACTOR = 2;
const RESCORE_EXTRA = 100;
/** A removal moves rows; after so many restarts the scan goes through without a pause. */
const MAX_RESTARTS = 3;

export interface Neighbour {
  readonly id: number;
  /** Dot product: the cosine, for vectors of length 1. */
  readonly score: number;
}

export interface SearchOptions {
  /** Only these ids; those that are not in the index are ignored. Scored exactly, one by one. */
  readonly candidates?: Iterable<number>;
}

export interface VectorIndexOptions {
  /** A multiple of 16. */
  readonly dimension: number;
  /** The space of all its vectors. */
  readonly fingerprint: string;
  /** Rows from which on the scan goes over int8 first; 50,000. */
  readonly splitRows?: number;
  /** How long `searchAsync` may hold the event loop at a time, in milliseconds; 8. */
  readonly sliceMs?: number;
}

/**
 * All vectors of one space in memory, searched exactly below 50,000 rows and by an int8 pre-scan with exact rescoring
 * from there on. 1,536 bytes a row of 384 values, 1,156 once split, and about 45 for its id. Not shared between threads.
 */
export interface VectorIndex {
  readonly fingerprint: string;
  readonly size: number;
  /** Bytes that the rows take. */
  readonly bytes: number;
  has(id: number): boolean;
  /** Adds a vector, or replaces that of the id. */
  set(id: number, vector: Float32Array): void;
  /** Adds many new rows fast: `rows` is their float32 values as little-endian bytes, one after another, at any offset. */
  addPacked(ids: readonly number[], rows: Uint8Array): void;
  /** Whether there was one. */
  remove(id: number): boolean;
  /** The `k` nearest, best first, the lower id first among equals. Blocks: about 0.5 ms at 10,000 rows. */
  search(query: Float32Array, k: number, options?: SearchOptions): Neighbour[];
  /** The same in slices of about `sliceMs`. Rows that come and go meanwhile may be in the answer or not. Errors: `cancelled`. */
  searchAsync(
    query: Float32Array,
    k: number,
    options?: SearchOptions & { readonly signal?: AbortSignal },
  ): Promise<Neighbour[]>;
}

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class MemoryVectorIndex implements VectorIndex {
  readonly fingerprint: string;
  readonly #sliceMs: number;
  readonly #rows: RowStore;
  readonly #ids: number[] = [];
  readonly #slots = new SlotMap();
  /** Counts what moves rows: a scan that was paused meanwhile starts again. */
  #moves = 0;

  constructor({ dimension, fingerprint, splitRows = SPLIT_ROWS, sliceMs = SLICE_MS }: VectorIndexOptions) {
    if (!Number.isInteger(dimension) || dimension <= 0 || dimension % DIMENSION_STEP !== 0) {
      throw new RangeError(`An index needs a dimension that is a multiple of ${DIMENSION_STEP}, not ${dimension}.`);
    }
    this.fingerprint = fingerprint;
    this.#sliceMs = sliceMs;
    this.#rows = new RowStore(dimension, splitRows);
  }

  get size(): number {
    return this.#ids.length;
  }

  get bytes(): number {
    return this.#rows.bytes;
  }

  has(id: number): boolean {
    return this.#slots.has(id);
  }

  set(id: number, vector: Float32Array): void {
    this.#checkDimension(vector.length);
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.#rows.replace(slot, bytesOf(vector));
    else this.#append([id], bytesOf(vector));
  }

  addPacked(ids: readonly number[], rows: Uint8Array): void {
    const rowBytes = this.#rows.dimension * 4;
    if (rows.byteLength !== ids.length * rowBytes) {
      throw new RangeError(
        `${ids.length} rows of ${rowBytes} bytes were announced, ${rows.byteLength} bytes were given.`,
      );
    }
    const repeated =
      ids.find((id) => this.#slots.has(id)) ?? (new Set(ids).size < ids.length ? 'one of them' : undefined);
    if (repeated !== undefined) throw new RangeError(`Packed rows must be new: ${repeated} is there already.`);
    for (let first = 0; first < ids.length; first += SEGMENT_ROWS) {
      const part = ids.slice(first, first + SEGMENT_ROWS);
      this.#append(part, rows.subarray(first * rowBytes, (first + part.length) * rowBytes));
    }
  }

  remove(id: number): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    this.#rows.removeByMovingLast(slot);
    const moved = this.#ids.pop();
    this.#slots.delete(id);
    if (moved !== undefined && moved !== id) {
      this.#ids[slot] = moved;
      this.#slots.set(moved, slot);
    }
    this.#moves++;
    return true;
  }

  search(query: Float32Array, k: number, options: SearchOptions = {}): Neighbour[] {
    const scan = this.#scan(query, k, options.candidates);
    for (;;) {
      const step = scan.next();
      if (step.done === true) return step.value;
    }
  }

  async searchAsync(
    query: Float32Array,
    k: number,
    options: SearchOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<Neighbour[]> {
    // A list is read once only, and a copied query cannot change under a paused scan.
    const candidates = options.candidates === undefined ? undefined : [...options.candidates];
    const fixed = query.slice();
    for (let restarts = 0; restarts < MAX_RESTARTS; restarts++) {
      const found = await this.#scanInSlices(this.#scan(fixed, k, candidates), options.signal);
      if (found !== undefined) return found;
    }
    return this.search(fixed, k, candidates === undefined ? {} : { candidates });
  }

  /** `undefined` when rows moved during a pause. */
  async #scanInSlices(
    scan: Generator<void, Neighbour[]>,
    signal: AbortSignal | undefined,
  ): Promise<Neighbour[] | undefined> {
    throwIfCancelled(signal);
    const moves = this.#moves;
    let start = performance.now();
    for (;;) {
      const step = scan.next();
      if (step.done === true) return step.value;
      if (performance.now() - start < this.#sliceMs) continue;
      await nextTurn();
      throwIfCancelled(signal);
      if (this.#moves !== moves) return undefined;
      start = performance.now();
    }
  }

  /** The search in pieces of one segment or so; may be left for a while after each. */
  *#scan(query: Float32Array, k: number, candidates: Iterable<number> | undefined): Generator<void, Neighbour[]> {
    this.#checkDimension(query.length);
    if (!Number.isInteger(k) || k < 1) throw new RangeError(`A search is for at least one row, not ${k}.`);
    if (candidates !== undefined) return yield* this.#scanCandidates(query, k, candidates);
    const rows = this.#rows;
    const wanted = Math.min(rows.count, rows.isSplit ? RESCORE_FACTOR * k + RESCORE_EXTRA : k);
    const best = createTopK(Math.max(1, wanted), this.#ids);
    for (let segment = 0; segment * SEGMENT_ROWS < rows.count; segment++) {
      // Another search may have run during a pause: the query is set anew for each piece (under a microsecond).
      const scores = rows.scanSegment(segment, rows.setQuery(query));
      best.offerRun(scores, segment * SEGMENT_ROWS);
      yield;
    }
    if (!rows.isSplit) return this.#toNeighbours(best.taken(), k);
    rows.setQuery(query);
    return this.#toNeighbours(
      best.taken().map(({ slot }) => ({ slot, score: rows.score(slot) })),
      k,
    );
  }

  *#scanCandidates(query: Float32Array, k: number, candidates: Iterable<number>): Generator<void, Neighbour[]> {
    const best = createTopK(Math.max(1, Math.min(k, this.size)), this.#ids);
    const seen = new Set<number>();
    this.#rows.setQuery(query);
    for (const id of candidates) {
      const slot = this.#slots.get(id);
      if (slot === undefined || seen.has(slot)) continue;
      seen.add(slot);
      best.offer(slot, this.#rows.score(slot));
      if (seen.size % SEGMENT_ROWS === 0) {
        yield;
        this.#rows.setQuery(query);
      }
    }
    return this.#toNeighbours(best.taken(), k);
  }

  #toNeighbours(scored: readonly Scored[], k: number): Neighbour[] {
    return scored
      .map(({ slot, score }) => ({ id: this.#ids[slot] ?? Number.NaN, score }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, k);
  }

  #append(ids: readonly number[], rows: Uint8Array): void {
    const wasSplit = this.#rows.isSplit;
    this.#rows.append(rows);
    if (this.#rows.isSplit !== wasSplit) this.#moves++;
    for (const id of ids) {
      this.#slots.set(id, this.#ids.length);
      this.#ids.push(id);
    }
  }

  #checkDimension(length: number): void {
    if (length !== this.#rows.dimension)
      throw new RangeError(`The index holds vectors of ${this.#rows.dimension} values, not ${length}.`);
  }
}

/** An empty index for the vectors of one space. */
export function createVectorIndex(options: VectorIndexOptions): VectorIndex {
  return new MemoryVectorIndex(options);
}
