import { CHUNK, HEAD_SIZE, HIDDEN_BYTES, QKV_BYTES, WIDE } from './shape';

// The scratch area. Buffers that a panel may overrun have their rows rounded up to eight.
/** The residual stream: one row of 384 floats for each token. */
export let stream: usize = 0;
/** Query, key, value rows; after attention reused for the output of the other products of a chunk. A wasm export for tests. */
export let qkv: usize = 0;
/** What attention gives, heads beside each other. A wasm export for tests. */
export let context: usize = 0;
/** Quantised rows of one chunk in panels of four: `[K/2][4][2]` int16. */
export let activations: usize = 0;
/** One float per quantised row: value = int16 × scale. */
export let rowScales: usize = 0;
/** The feed-forward block's wide rows of one chunk. */
export let wide: usize = 0;
/** Keys of one head: panels of eight tokens, `[16][8][2]` int16, and a scale for each token. */
export let keys: usize = 0;
export let keyScales: usize = 0;
/** Values of one head: four panels of eight dimensions, `[tokens/2][8][2]` int16, and one scale, eight times. */
export let values: usize = 0;
export let valueScales: usize = 0;
/** Four rows of one head's queries, scores (float32) and probabilities (int16 panel). */
export let queries: usize = 0;
export let scores: usize = 0;
export let probabilities: usize = 0;
/** Eight zeros: the bias of a product that has none. */
export let noBias: usize = 0;

@inline
export function roundUp8(count: i32): usize {
  return (count + 7) & ~7;
}

/** Lays the buffers out from `start` for passes of up to `rows` tokens; gives the end. */
export function layOut(start: usize, rows: i32): usize {
  const padded = roundUp8(rows);
  let at = start;
  stream = at;
  at += padded * HIDDEN_BYTES;
  qkv = at;
  at += padded * QKV_BYTES;
  context = at;
  at += padded * HIDDEN_BYTES;
  activations = at;
  at += CHUNK * WIDE * 2;
  wide = at;
  at += CHUNK * WIDE * 4;
  rowScales = at;
  at += CHUNK * 4;
  keys = at;
  at += padded * HEAD_SIZE * 2;
  keyScales = at;
  at += padded * 4;
  values = at;
  at += padded * HEAD_SIZE * 2;
  valueScales = at;
  at += 32;
  queries = at;
  at += 4 * HEAD_SIZE * 2;
  scores = at;
  at += padded * 4 * 4;
  probabilities = at;
  at += padded * 4 * 2;
  noBias = at;
  at += 32;
  return at;
}
