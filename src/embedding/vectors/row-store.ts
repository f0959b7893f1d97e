import { PAGE_BYTES, type WasmMemory } from '../wasm.ts';
import { createScanKernel, type ScanExports } from './scan-kernel.ts';

/** Rows of one segment: the unit in which memory grows, and of one call of the scan. */
export const SEGMENT_ROWS = 1_024;
/** From here on rows are split into planes: the scan reads a quarter of the bytes, and a row takes 1,156 instead of 1,536. */
export const SPLIT_ROWS = 50_000;
const FLOAT_BYTES = 4;
const INT32_LIMIT = 2 ** 31 - 1;
const INT16_LIMIT = 32_767;
const INT8_LIMIT = 127;
/** The high plane counts in units of 2^16 of the row's scale. */
const HIGH_UNIT = 65_536;

/**
 * The vectors of an index in one WebAssembly memory, by slot (0, 1, 2, …). Below `splitRows` a segment holds float32
 * rows; from there on `[high plane int8][low plane int16][scales float32]`, which `assembly/scan.ts` explains. The
 * change goes one way and keeps 24 bits of each value, so that scores move by less than 1e-6.
 */
export class RowStore {
  readonly dimension: number;
  readonly #splitRows: number;
  readonly #kernel: ScanExports;
  readonly #memory: WasmMemory;
  readonly #queryAt = 0;
  readonly #integersAt: number;
  readonly #scoresAt: number;
  /** Float rows on their way into planes. */
  readonly #stagingAt: number;
  readonly #rowsAt: number;
  #count = 0;
  #isSplit = false;

  constructor(dimension: number, splitRows: number) {
    const { exports, memory } = createScanKernel();
    this.dimension = dimension;
    this.#splitRows = splitRows;
    this.#kernel = exports;
    this.#memory = memory;
    this.#integersAt = this.#queryAt + dimension * FLOAT_BYTES;
    this.#scoresAt = this.#integersAt + dimension * FLOAT_BYTES;
    this.#stagingAt = this.#scoresAt + SEGMENT_ROWS * FLOAT_BYTES;
    this.#rowsAt = this.#stagingAt + SEGMENT_ROWS * dimension * FLOAT_BYTES;
    this.#reserve(this.#stagingAt);
  }

  get count(): number {
    return this.#count;
  }

  get isSplit(): boolean {
    return this.#isSplit;
  }

  /** Bytes of the rows that are held. */
  get bytes(): number {
    return Math.ceil(this.#count / SEGMENT_ROWS) * this.#segmentBytes();
  }

  /** Appends up to `SEGMENT_ROWS` float rows, given as their bytes (little-endian). */
  append(rows: Uint8Array): void {
    const added = rows.byteLength / (this.dimension * FLOAT_BYTES);
    if (!this.#isSplit && this.#count + added >= this.#splitRows) this.#split();
    if (!this.#isSplit) {
      const at = this.#floatRow(this.#count);
      this.#reserve(at + rows.byteLength);
      new Uint8Array(this.#memory.buffer).set(rows, at);
    } else {
      const staged = this.#stage(rows);
      for (let done = 0; done < added; ) {
        const slot = this.#count + done;
        const run = Math.min(added - done, SEGMENT_ROWS - (slot % SEGMENT_ROWS));
        this.#splitInto(staged + done * this.dimension * FLOAT_BYTES, run, slot);
        done += run;
      }
    }
    this.#count += added;
  }

  /** Puts another vector into a slot. */
  replace(slot: number, row: Uint8Array): void {
    if (this.#isSplit) this.#splitInto(this.#stage(row), 1, slot);
    else new Uint8Array(this.#memory.buffer).set(row, this.#floatRow(slot));
  }

  /** Moves the last row into `slot` and forgets the last slot. */
  removeByMovingLast(slot: number): void {
    const last = this.#count - 1;
    const bytes = new Uint8Array(this.#memory.buffer);
    if (slot !== last) {
      if (!this.#isSplit) {
        bytes.copyWithin(this.#floatRow(slot), this.#floatRow(last), this.#floatRow(last + 1));
      } else {
        const { dimension } = this;
        bytes.copyWithin(this.#high(slot), this.#high(last), this.#high(last) + dimension);
        bytes.copyWithin(this.#low(slot), this.#low(last), this.#low(last) + 2 * dimension);
        bytes.copyWithin(this.#scale(slot), this.#scale(last), this.#scale(last) + FLOAT_BYTES);
      }
    }
    this.#count = last;
  }

  /** Sets the query of the calls that follow. Returns what turns pre-scan sums into scores. */
  setQuery(query: Float32Array): number {
    const { dimension } = this;
    new Float32Array(this.#memory.buffer, this.#queryAt, dimension).set(query);
    // dimension × 127 × range must stay below 2^31.
    const range = Math.min(INT16_LIMIT, Math.floor(INT32_LIMIT / (dimension * INT8_LIMIT)));
    const peak = query.reduce((highest, value) => Math.max(highest, Math.abs(value)), Number.MIN_VALUE);
    const integers = new Int16Array(this.#memory.buffer, this.#integersAt, dimension);
    for (let i = 0; i < dimension; i++) integers[i] = Math.round(((query[i] ?? 0) / peak) * range);
    return (peak / range) * HIGH_UNIT;
  }

  /**
   * Scores of the rows of one segment (the last one may be short), approximate when the store is split. The array is
   * a view that the next call overwrites.
   */
  scanSegment(segment: number, queryScale: number): Float32Array {
    const first = segment * SEGMENT_ROWS;
    const count = Math.min(SEGMENT_ROWS, this.#count - first);
    if (this.#isSplit) {
      this.#kernel.scanHigh(
        this.#high(first),
        this.#scale(first),
        count,
        this.dimension,
        this.#integersAt,
        queryScale,
        this.#scoresAt,
      );
    } else {
      this.#kernel.scanFloat(this.#floatRow(first), count, this.dimension, this.#queryAt, this.#scoresAt);
    }
    return new Float32Array(this.#memory.buffer, this.#scoresAt, count);
  }

  /** The exact score of one row. */
  score(slot: number): number {
    if (!this.#isSplit) return this.#kernel.dotFloat(this.#floatRow(slot), this.dimension, this.#queryAt);
    const scaleAt = this.#scale(slot);
    const scale = new Float32Array(this.#memory.buffer, scaleAt, 1)[0] ?? 0;
    return this.#kernel.dotSplit(this.#high(slot), this.#low(slot), scale, this.dimension, this.#queryAt);
  }

  #segmentBytes(): number {
    return SEGMENT_ROWS * (this.#isSplit ? 3 * this.dimension + FLOAT_BYTES : FLOAT_BYTES * this.dimension);
  }

  #segment(slot: number): number {
    return this.#rowsAt + Math.floor(slot / SEGMENT_ROWS) * this.#segmentBytes();
  }

  #floatRow(slot: number): number {
    return this.#rowsAt + slot * this.dimension * FLOAT_BYTES;
  }

  #high(slot: number): number {
    return this.#segment(slot) + (slot % SEGMENT_ROWS) * this.dimension;
  }

  #low(slot: number): number {
    return this.#segment(slot) + SEGMENT_ROWS * this.dimension + (slot % SEGMENT_ROWS) * this.dimension * 2;
  }

  #scale(slot: number): number {
    return this.#segment(slot) + SEGMENT_ROWS * this.dimension * 3 + (slot % SEGMENT_ROWS) * FLOAT_BYTES;
  }

  /** Grows the memory so that it reaches `end`; an eighth more than that, to grow seldom. */
  #reserve(end: number): void {
    const { byteLength } = this.#memory.buffer;
    if (end <= byteLength) return;
    const step = Math.max(end - byteLength, Math.min(byteLength / 8, SEGMENT_ROWS * 64 * this.dimension));
    this.#memory.grow(Math.ceil(step / PAGE_BYTES));
  }

  #stage(rows: Uint8Array): number {
    this.#reserve(this.#rowsAt);
    new Uint8Array(this.#memory.buffer).set(rows, this.#stagingAt);
    return this.#stagingAt;
  }

  #splitInto(from: number, count: number, slot: number): void {
    this.#reserve(this.#segment(slot) + this.#segmentBytes());
    this.#kernel.split(from, count, this.dimension, this.#high(slot), this.#low(slot), this.#scale(slot));
  }

  /** Turns every float row into planes, in place: a split segment is shorter, so it never reaches rows still unread. */
  #split(): void {
    const rowBytes = this.dimension * FLOAT_BYTES;
    for (let first = 0; first < this.#count; first += SEGMENT_ROWS) {
      const run = Math.min(SEGMENT_ROWS, this.#count - first);
      const from = this.#rowsAt + first * rowBytes;
      new Uint8Array(this.#memory.buffer).copyWithin(this.#stagingAt, from, from + run * rowBytes);
      this.#isSplit = true;
      this.#splitInto(this.#stagingAt, run, first);
    }
    this.#isSplit = true;
  }
}
