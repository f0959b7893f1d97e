// The encoder of all-MiniLM-L6-v2: BERT with 6 layers, hidden size 384, 12 heads of 32, feed-forward 1,536.
//
// Linear layers are int8 weights times int16 activations with int32 sums; everything between them is float32.
// There is no heap: the host hands in the address of the model table, of a scratch area and of every input. A row is
// one token; the rows of all texts of a pass lie one after another, without padding. A row's values never depend on
// its neighbours in the pass, so a text has the same vector, bit for bit, alone and in any batch.
//
// Terms: K is the depth of a product (columns of the input), N its width (columns of the output). A panel is four
// rows of activations or eight columns of weights, stored so that the inner loop reads straight ahead.

const HIDDEN: i32 = 384;
const HEADS: i32 = 12;
const HEAD_SIZE: i32 = 32;
const FEED_FORWARD: i32 = 1536;
/** Query, key and value of one token beside each other: one product makes all three. */
const QKV: i32 = 3 * HIDDEN;
const LAYERS: i32 = 6;
/** Rows that go through the feed-forward block together; keeps its activations (64 × 1,536 floats) in the L2 cache. */
const CHUNK: i32 = 64;

const HIDDEN_BYTES: i32 = HIDDEN * 4;
const QKV_BYTES: i32 = QKV * 4;
const HEAD_BYTES: i32 = HEAD_SIZE * 4;

// Integer ranges. A product sums K terms of at most range × 127 (int8) or range × range (int16); the sum must stay
// below 2^31 = 2,147,483,648.
/** K = 384: 384 × 127 × 32,767 = 1,597,981,056; the whole of int16 fits. */
const RANGE_HIDDEN: f32 = 32767;
/** K = 1,536: 1,536 × 127 × 10,900 = 2,126,284,800. The limit is 11,008; the rest is reserve for rounding. */
const RANGE_FEED_FORWARD: f32 = 10900;
/** Scores, K = 32, int16 on both sides: 32 × 8,191 × 8,191 = 2,146,959,392. */
const RANGE_SCORE: f32 = 8191;
/** Probabilities of a row sum to at most 32,767 + 128 (rounding of 256 tokens); times 32,767: 1,077,870,465. */
const RANGE_PROBABILITY: f32 = 32767;
const RANGE_VALUE: f32 = 32767;

/** Below this a row counts as zero: the scale stays finite and every quantised value is 0. */
const SMALLEST_PEAK: f32 = 1e-20;
/** BERT's layer norm epsilon. */
const NORM_EPSILON: f32 = 1e-12;
/** Score of the columns that fill a panel beyond the last token: exp gives 0. */
const MASKED: f32 = -1e30;
/** 1.5 × 2^23: adding it to |x| < 2^22 leaves the nearest integer (ties to even) in the low mantissa bits. */
const ROUND_MAGIC: f32 = 12582912;
const ROUND_MAGIC_BITS: i32 = 0x4b400000;

// The model table: u32 addresses, first of the embedding layer, then of each encoder layer.
const POSITIONS: usize = 0;
const EMBEDDING_GAIN: usize = 4;
const EMBEDDING_BIAS: usize = 8;
const FIRST_LAYER: usize = 12;
// One encoder layer in the table.
const QKV_WEIGHTS: usize = 0;
const QKV_SCALES: usize = 4;
const QKV_BIAS: usize = 8;
const OUTPUT_WEIGHTS: usize = 12;
const OUTPUT_SCALES: usize = 16;
const OUTPUT_BIAS: usize = 20;
const ATTENTION_GAIN: usize = 24;
const ATTENTION_BIAS: usize = 28;
const EXPAND_WEIGHTS: usize = 32;
const EXPAND_SCALES: usize = 36;
const EXPAND_BIAS: usize = 40;
const CONTRACT_WEIGHTS: usize = 44;
const CONTRACT_SCALES: usize = 48;
const CONTRACT_BIAS: usize = 52;
const FINAL_GAIN: usize = 56;
const FINAL_BIAS: usize = 60;
const LAYER_ENTRY: i32 = 64;

let model: usize = 0;

// Scratch, laid out by `init`. Buffers that a panel may overrun have their rows rounded up to eight.
/** The residual stream: one row of 384 floats for each token. */
let stream: usize = 0;
/** Query, key, value rows; after attention reused for the output of the other products of a chunk. Exported for tests. */
export let qkv: usize = 0;
/** What attention gives, heads beside each other. Exported for tests. */
export let context: usize = 0;
/** Quantised rows of one chunk in panels of four: `[K/2][4][2]` int16. */
let activations: usize = 0;
/** One float per quantised row: value = int16 × scale. */
let rowScales: usize = 0;
/** The feed-forward block's wide rows of one chunk. */
let wide: usize = 0;
/** Keys of one head: panels of eight tokens, `[16][8][2]` int16, and a scale for each token. */
let keys: usize = 0;
let keyScales: usize = 0;
/** Values of one head: four panels of eight dimensions, `[tokens/2][8][2]` int16, and one scale, eight times. */
let values: usize = 0;
let valueScales: usize = 0;
/** Four rows of one head's queries, scores (float32) and probabilities (int16 panel). */
let queries: usize = 0;
let scores: usize = 0;
let probabilities: usize = 0;
/** Eight zeros: the bias of a product that has none. */
let noBias: usize = 0;

@inline
function roundUp8(count: i32): usize {
  return (count + 7) & ~7;
}

/** Bytes of scratch for passes of up to `rows` tokens. */
export function scratchBytes(rows: i32): usize {
  return layOut(0, rows);
}

/** Hands in the model table and the scratch area (both on 64 bytes) for passes of up to `rows` tokens. */
export function init(table: usize, scratch: usize, rows: i32): void {
  model = table;
  layOut(scratch, rows);
  memory.fill(noBias, 0, 32);
}

function layOut(start: usize, rows: i32): usize {
  const padded = roundUp8(rows);
  let at = start;
  stream = at;
  at += padded * HIDDEN_BYTES;
  qkv = at;
  at += padded * QKV_BYTES;
  context = at;
  at += padded * HIDDEN_BYTES;
  activations = at;
  at += CHUNK * FEED_FORWARD * 2;
  wide = at;
  at += CHUNK * FEED_FORWARD * 4;
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

// ---------------------------------------------------------------------------------------------------------------------
// Products

/** int32 sums to float32: sum × (row scale × column scale) + bias. */
@inline
function scaled(sums: v128, rowScale: v128, columnScales: v128, bias: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(rowScale, columnScales)), bias);
}

/**
 * Four rows times eight columns of int8 weights. `a`: `[K/2][4][2]` int16; `b`: `[K/2][8][2]` int8, widened on load.
 * One pair of K a turn: V8 hoists every load of a longer body to its top and then spills registers.
 */
function multiply4(a: usize, b: usize, depth: i32, out: usize, stride: usize, rowScale: usize, columnScale: usize, bias: usize): void {
  let sum00 = i32x4.splat(0), sum01 = i32x4.splat(0);
  let sum10 = i32x4.splat(0), sum11 = i32x4.splat(0);
  let sum20 = i32x4.splat(0), sum21 = i32x4.splat(0);
  let sum30 = i32x4.splat(0), sum31 = i32x4.splat(0);
  const end = a + (depth << 3);
  // Both panels advance by 16 bytes a turn, so one counter serves both.
  const toWeights = b - a;
  do {
    const weights = a + toWeights;
    const left = v128.load8x8_s(weights, 0), right = v128.load8x8_s(weights, 8);
    const row0 = v128.load32_splat(a, 0);
    sum00 = i32x4.add(sum00, i32x4.dot_i16x8_s(row0, left));
    sum01 = i32x4.add(sum01, i32x4.dot_i16x8_s(row0, right));
    const row1 = v128.load32_splat(a, 4);
    sum10 = i32x4.add(sum10, i32x4.dot_i16x8_s(row1, left));
    sum11 = i32x4.add(sum11, i32x4.dot_i16x8_s(row1, right));
    const row2 = v128.load32_splat(a, 8);
    sum20 = i32x4.add(sum20, i32x4.dot_i16x8_s(row2, left));
    sum21 = i32x4.add(sum21, i32x4.dot_i16x8_s(row2, right));
    const row3 = v128.load32_splat(a, 12);
    sum30 = i32x4.add(sum30, i32x4.dot_i16x8_s(row3, left));
    sum31 = i32x4.add(sum31, i32x4.dot_i16x8_s(row3, right));
    a += 16;
  } while (a < end);
  const scale0 = v128.load(columnScale), scale1 = v128.load(columnScale, 16);
  const bias0 = v128.load(bias), bias1 = v128.load(bias, 16);
  let scale = v128.load32_splat(rowScale);
  v128.store(out, scaled(sum00, scale, scale0, bias0));
  v128.store(out, scaled(sum01, scale, scale1, bias1), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 4);
  v128.store(out, scaled(sum10, scale, scale0, bias0));
  v128.store(out, scaled(sum11, scale, scale1, bias1), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 8);
  v128.store(out, scaled(sum20, scale, scale0, bias0));
  v128.store(out, scaled(sum21, scale, scale1, bias1), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 12);
  v128.store(out, scaled(sum30, scale, scale0, bias0));
  v128.store(out, scaled(sum31, scale, scale1, bias1), 16);
}

/** The first two rows of a panel of four: what is left of a pass. */
function multiply2(a: usize, b: usize, depth: i32, out: usize, stride: usize, rowScale: usize, columnScale: usize, bias: usize): void {
  let sum00 = i32x4.splat(0), sum01 = i32x4.splat(0);
  let sum10 = i32x4.splat(0), sum11 = i32x4.splat(0);
  const end = a + (depth << 3);
  const toWeights = b - a;
  do {
    const weights = a + toWeights;
    const left = v128.load8x8_s(weights, 0), right = v128.load8x8_s(weights, 8);
    const row0 = v128.load32_splat(a, 0);
    sum00 = i32x4.add(sum00, i32x4.dot_i16x8_s(row0, left));
    sum01 = i32x4.add(sum01, i32x4.dot_i16x8_s(row0, right));
    const row1 = v128.load32_splat(a, 4);
    sum10 = i32x4.add(sum10, i32x4.dot_i16x8_s(row1, left));
    sum11 = i32x4.add(sum11, i32x4.dot_i16x8_s(row1, right));
    a += 16;
  } while (a < end);
  const scale0 = v128.load(columnScale), scale1 = v128.load(columnScale, 16);
  const bias0 = v128.load(bias), bias1 = v128.load(bias, 16);
  let scale = v128.load32_splat(rowScale);
  v128.store(out, scaled(sum00, scale, scale0, bias0));
  v128.store(out, scaled(sum01, scale, scale1, bias1), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 4);
  v128.store(out, scaled(sum10, scale, scale0, bias0));
  v128.store(out, scaled(sum11, scale, scale1, bias1), 16);
}

/** The first row of a panel of four. */
function multiply1(a: usize, b: usize, depth: i32, out: usize, rowScale: usize, columnScale: usize, bias: usize): void {
  let sum0 = i32x4.splat(0), sum1 = i32x4.splat(0);
  const end = a + (depth << 3);
  const toWeights = b - a;
  do {
    const weights = a + toWeights;
    const row0 = v128.load32_splat(a, 0);
    sum0 = i32x4.add(sum0, i32x4.dot_i16x8_s(row0, v128.load8x8_s(weights, 0)));
    sum1 = i32x4.add(sum1, i32x4.dot_i16x8_s(row0, v128.load8x8_s(weights, 8)));
    a += 16;
  } while (a < end);
  const scale = v128.load32_splat(rowScale);
  v128.store(out, scaled(sum0, scale, v128.load(columnScale), v128.load(bias)));
  v128.store(out, scaled(sum1, scale, v128.load(columnScale, 16), v128.load(bias, 16)), 16);
}

/** Four rows times eight columns with int16 on both sides, `b`: `[K/2][8][2]`; for attention, without bias. */
function multiplyWide4(a: usize, b: usize, depth: i32, out: usize, stride: usize, rowScale: usize, columnScale: usize): void {
  let sum00 = i32x4.splat(0), sum01 = i32x4.splat(0);
  let sum10 = i32x4.splat(0), sum11 = i32x4.splat(0);
  let sum20 = i32x4.splat(0), sum21 = i32x4.splat(0);
  let sum30 = i32x4.splat(0), sum31 = i32x4.splat(0);
  const end = a + (depth << 3);
  do {
    const left = v128.load(b, 0), right = v128.load(b, 16);
    const row0 = v128.load32_splat(a, 0);
    sum00 = i32x4.add(sum00, i32x4.dot_i16x8_s(row0, left));
    sum01 = i32x4.add(sum01, i32x4.dot_i16x8_s(row0, right));
    const row1 = v128.load32_splat(a, 4);
    sum10 = i32x4.add(sum10, i32x4.dot_i16x8_s(row1, left));
    sum11 = i32x4.add(sum11, i32x4.dot_i16x8_s(row1, right));
    const row2 = v128.load32_splat(a, 8);
    sum20 = i32x4.add(sum20, i32x4.dot_i16x8_s(row2, left));
    sum21 = i32x4.add(sum21, i32x4.dot_i16x8_s(row2, right));
    const row3 = v128.load32_splat(a, 12);
    sum30 = i32x4.add(sum30, i32x4.dot_i16x8_s(row3, left));
    sum31 = i32x4.add(sum31, i32x4.dot_i16x8_s(row3, right));
    b += 32;
    a += 16;
  } while (a < end);
  const scale0 = v128.load(columnScale), scale1 = v128.load(columnScale, 16);
  const zero = v128.load(noBias);
  let scale = v128.load32_splat(rowScale);
  v128.store(out, scaled(sum00, scale, scale0, zero));
  v128.store(out, scaled(sum01, scale, scale1, zero), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 4);
  v128.store(out, scaled(sum10, scale, scale0, zero));
  v128.store(out, scaled(sum11, scale, scale1, zero), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 8);
  v128.store(out, scaled(sum20, scale, scale0, zero));
  v128.store(out, scaled(sum21, scale, scale1, zero), 16);
  out += stride;
  scale = v128.load32_splat(rowScale, 12);
  v128.store(out, scaled(sum30, scale, scale0, zero));
  v128.store(out, scaled(sum31, scale, scale1, zero), 16);
}

/**
 * A linear layer over the rows that `quantiseRows` left in `activations`. Columns outside, rows inside: a panel of
 * weights (at most 12 kB) stays in the L1 cache while all rows of the chunk pass over it. Exported for tests.
 */
export function linear(rows: i32, depth: i32, width: i32, weights: usize, columnScales: usize, bias: usize, out: usize): void {
  const stride: usize = width << 2;
  const panelBytes: usize = depth << 3;
  for (let column = 0; column < width; column += 8) {
    let a = activations;
    let scale = rowScales;
    let at = out + (column << 2);
    let left = rows;
    // Three rows cost less as a whole panel: its fourth row repeats the third and lands in the padding.
    for (; left > 2; left -= 4) {
      multiply4(a, weights, depth, at, stride, scale, columnScales, bias);
      a += panelBytes;
      scale += 16;
      at += stride << 2;
    }
    if (left == 2) multiply2(a, weights, depth, at, stride, scale, columnScales, bias);
    else if (left == 1) multiply1(a, weights, depth, at, scale, columnScales, bias);
    weights += panelBytes;
    columnScales += 32;
    bias += 32;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Quantising

@inline
function largest(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}

@inline
function total(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** The largest absolute value of `count` floats, a multiple of four. */
function peak(at: usize, count: i32): f32 {
  let highest = f32x4.splat(SMALLEST_PEAK);
  const end = at + (count << 2);
  while (at < end) {
    highest = f32x4.pmax(highest, f32x4.abs(v128.load(at)));
    at += 16;
  }
  return largest(highest);
}

@inline
function toIntegers(v: v128, inverse: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v, inverse), f32x4.splat(ROUND_MAGIC)), i32x4.splat(ROUND_MAGIC_BITS));
}

/** Eight floats to eight int16. */
@inline
function quantise8(at: usize, inverse: v128): v128 {
  return i16x8.narrow_i32x4_s(toIntegers(v128.load(at), inverse), toIntegers(v128.load(at, 16), inverse));
}

/** Four rows of `depth` floats to one panel `[K/2][4][2]` int16, each row times its own inverse scale. */
function quantisePanel(row0: usize, row1: usize, row2: usize, row3: usize, depth: i32, out: usize, inverses: usize): void {
  const inverse0 = v128.load32_splat(inverses), inverse1 = v128.load32_splat(inverses, 4);
  const inverse2 = v128.load32_splat(inverses, 8), inverse3 = v128.load32_splat(inverses, 12);
  const end = row0 + (depth << 2);
  while (row0 < end) {
    const a = quantise8(row0, inverse0), b = quantise8(row1, inverse1);
    const c = quantise8(row2, inverse2), d = quantise8(row3, inverse3);
    const ab0 = v128.shuffle<i32>(a, b, 0, 4, 1, 5), ab1 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
    const cd0 = v128.shuffle<i32>(c, d, 0, 4, 1, 5), cd1 = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
    v128.store(out, v128.shuffle<i64>(ab0, cd0, 0, 2));
    v128.store(out, v128.shuffle<i64>(ab0, cd0, 1, 3), 16);
    v128.store(out, v128.shuffle<i64>(ab1, cd1, 0, 2), 32);
    v128.store(out, v128.shuffle<i64>(ab1, cd1, 1, 3), 48);
    row0 += 32;
    row1 += 32;
    row2 += 32;
    row3 += 32;
    out += 64;
  }
}

/** One panel from `count` rows (1 to 4; the last one is repeated), scales by the row's peak. */
function quantiseFour(at: usize, stride: usize, count: i32, depth: i32, out: usize, scale: usize, range: f32): void {
  const row1 = at + stride * min(1, count - 1);
  const row2 = at + stride * min(2, count - 1);
  const row3 = at + stride * min(3, count - 1);
  const peak0 = peak(at, depth), peak1 = peak(row1, depth), peak2 = peak(row2, depth), peak3 = peak(row3, depth);
  f32.store(scale, range / peak0);
  f32.store(scale, range / peak1, 4);
  f32.store(scale, range / peak2, 8);
  f32.store(scale, range / peak3, 12);
  quantisePanel(at, row1, row2, row3, depth, out, scale);
  f32.store(scale, peak0 / range);
  f32.store(scale, peak1 / range, 4);
  f32.store(scale, peak2 / range, 8);
  f32.store(scale, peak3 / range, 12);
}

/** Quantises up to 64 rows of 384 or 1,536 floats into `activations` and `rowScales`. Exported for tests. */
export function quantiseRows(at: usize, rows: i32, depth: i32): void {
  const range = depth == FEED_FORWARD ? RANGE_FEED_FORWARD : RANGE_HIDDEN;
  const stride: usize = depth << 2;
  let out = activations;
  let scale = rowScales;
  for (let row = 0; row < rows; row += 4) {
    quantiseFour(at, stride, min(4, rows - row), depth, out, scale, range);
    at += stride << 2;
    out += depth << 3;
    scale += 16;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Between the products

/** `x = layerNorm(x + y) × gain + bias` for `rows` rows of 384. */
function addAndNormalise(x: usize, y: usize, gain: usize, bias: usize, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    let sum = f32x4.splat(0);
    for (let i = 0; i < HIDDEN_BYTES; i += 16) {
      const v = f32x4.add(v128.load(x + i), v128.load(y + i));
      v128.store(x + i, v);
      sum = f32x4.add(sum, v);
    }
    const mean = f32x4.splat(total(sum) / <f32>HIDDEN);
    let squares = f32x4.splat(0);
    for (let i = 0; i < HIDDEN_BYTES; i += 16) {
      const v = f32x4.sub(v128.load(x + i), mean);
      squares = f32x4.add(squares, f32x4.mul(v, v));
    }
    const inverse = f32x4.splat(1 / sqrt(total(squares) / <f32>HIDDEN + NORM_EPSILON));
    for (let i = 0; i < HIDDEN_BYTES; i += 16) {
      const v = f32x4.mul(f32x4.sub(v128.load(x + i), mean), inverse);
      v128.store(x + i, f32x4.add(f32x4.mul(v, v128.load(gain + i)), v128.load(bias + i)));
    }
    x += HIDDEN_BYTES;
    y += HIDDEN_BYTES;
  }
}

/** One step of Horner's rule: a × b + c. */
@inline
function horner(a: v128, b: v128, c: f32): v128 {
  return f32x4.add(f32x4.mul(a, b), f32x4.splat(c));
}

/**
 * In place `x/2 × (1 + erf(x/√2))`, the exact GELU. erf is an odd rational function of degrees 13 and 8 on [-4, 4],
 * the one that Eigen uses; its error is at most 6e-7 in float32, so that of the GELU at most 3e-7 × |x|, and never over
 * 1.2e-6. `count` is a multiple of four. Exported for tests.
 */
export function gelu(at: usize, count: i32): void {
  const end = at + (count << 2);
  while (at < end) {
    const x = v128.load(at);
    const z = f32x4.pmax(f32x4.pmin(f32x4.mul(x, f32x4.splat(0.7071067811865476)), f32x4.splat(4)), f32x4.splat(-4));
    const t = f32x4.mul(z, z);
    let upper = horner(t, f32x4.splat(-2.72614225801306e-10), 2.77068142495902e-8);
    upper = horner(upper, t, -2.10102402082508e-6);
    upper = horner(upper, t, -5.69250639462346e-5);
    upper = horner(upper, t, -7.34990630326855e-4);
    upper = horner(upper, t, -2.95459980854025e-3);
    upper = horner(upper, t, -1.60960333262415e-2);
    let lower = horner(t, f32x4.splat(-1.45660718464996e-5), -2.13374055278905e-4);
    lower = horner(lower, t, -1.68282697438203e-3);
    lower = horner(lower, t, -7.37332916720468e-3);
    lower = horner(lower, t, -1.42647390514189e-2);
    const erf = f32x4.div(f32x4.mul(upper, z), lower);
    const half = f32x4.mul(x, f32x4.splat(0.5));
    v128.store(at, f32x4.add(half, f32x4.mul(half, erf)));
    at += 16;
  }
}

/** ln 2 in two floats: the first has so few bits that its products with whole numbers up to 126 are exact. */
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;
const LOG2_E: f32 = 1.4426950408889634;
/** e^-87 = 1.6e-38 is the last power that float32 holds in full; no probability of 16 bits can tell it from 0. */
const LOWEST_EXPONENT: f32 = -87;

/**
 * e^x for x <= 0: 2^(whole + part) with a polynomial of degree 6 (Cephes) for the part, |part| <= 1/2. Relative error at most
 * 1e-6; below -87 the result is that of -87.
 */
@inline
function exponential(x: v128): v128 {
  const magic = f32x4.splat(ROUND_MAGIC);
  const clamped = f32x4.pmax(x, f32x4.splat(LOWEST_EXPONENT));
  const shifted = f32x4.add(f32x4.mul(clamped, f32x4.splat(LOG2_E)), magic);
  const whole = f32x4.sub(shifted, magic);
  // Taken from x and not from x × log2 e, whose rounding grows with |x|.
  const high = f32x4.sub(clamped, f32x4.mul(whole, f32x4.splat(LN2_HIGH)));
  const rest = f32x4.sub(high, f32x4.mul(whole, f32x4.splat(LN2_LOW)));
  const part = f32x4.mul(rest, f32x4.splat(LOG2_E));
  let power = horner(part, f32x4.splat(1.535336188e-4), 1.339887440e-3);
  power = horner(power, part, 9.618437357e-3);
  power = horner(power, part, 5.550332548e-2);
  power = horner(power, part, 2.402264791e-1);
  power = horner(power, part, 6.931472028e-1);
  power = horner(power, part, 1);
  // The low bits of `shifted` hold the whole part: moved up, they are the exponent.
  return i32x4.add(power, i32x4.shl(shifted, 23));
}

/** In place e^x of `count` floats (a multiple of four, all <= 0). Exported for tests. */
export function exponentials(at: usize, count: i32): void {
  const end = at + (count << 2);
  while (at < end) {
    v128.store(at, exponential(v128.load(at)));
    at += 16;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Attention

/** Keys of one head: int16 with a scale for each token; the tokens that fill the last panel are zero. */
function packKeys(from: usize, tokens: i32, padded: i32): void {
  for (let token = 0; token < padded; token++) {
    let out = keys + (token >> 3) * 512 + (token & 7) * 4;
    if (token >= tokens) {
      f32.store(keyScales + (token << 2), 0);
      for (let i = 0; i < HEAD_SIZE / 2; i++) {
        i32.store(out, 0);
        out += 32;
      }
      continue;
    }
    const row = from + token * QKV_BYTES;
    const highest = peak(row, HEAD_SIZE);
    const inverse = f32x4.splat(RANGE_SCORE / highest);
    f32.store(keyScales + (token << 2), highest / RANGE_SCORE);
    for (let i = 0; i < HEAD_BYTES; i += 32) {
      const eight = quantise8(row + i, inverse);
      v128.store32_lane(out, eight, 0);
      v128.store32_lane(out, eight, 1, 32);
      v128.store32_lane(out, eight, 2, 64);
      v128.store32_lane(out, eight, 3, 96);
      out += 128;
    }
  }
}

/** Values of one head: int16 with one scale for all tokens, pairs of tokens interleaved. */
function packValues(from: usize, tokens: i32, padded: i32): void {
  let highest: f32 = SMALLEST_PEAK;
  for (let token = 0; token < tokens; token++) highest = max(highest, peak(from + token * QKV_BYTES, HEAD_SIZE));
  const inverse = f32x4.splat(RANGE_VALUE / highest);
  const scale = f32x4.splat(highest / RANGE_VALUE);
  v128.store(valueScales, scale);
  v128.store(valueScales, scale, 16);
  const panelBytes: usize = padded << 4;
  for (let token = 0; token < padded; token += 2) {
    let out = values + (token << 4);
    const even = from + token * QKV_BYTES;
    const odd = even + QKV_BYTES;
    for (let i = 0; i < HEAD_BYTES; i += 32) {
      const a = token < tokens ? quantise8(even + i, inverse) : i32x4.splat(0);
      const b = token + 1 < tokens ? quantise8(odd + i, inverse) : i32x4.splat(0);
      v128.store(out, v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
      v128.store(out, v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15), 16);
      out += panelBytes;
    }
  }
}

/** Softmax of one row of `padded` scores, left as e^(x - max); returns what makes it a probability of 16 bits. */
function softmaxRow(row: usize, tokens: i32, padded: i32): f32 {
  for (let token = tokens; token < padded; token++) f32.store(row + (token << 2), MASKED);
  const bytes = padded << 2;
  let highest = v128.load(row);
  for (let i = 16; i < bytes; i += 16) highest = f32x4.pmax(highest, v128.load(row + i));
  const maximum = f32x4.splat(largest(highest));
  let sum = f32x4.splat(0);
  for (let i = 0; i < bytes; i += 16) {
    const power = exponential(f32x4.sub(v128.load(row + i), maximum));
    sum = f32x4.add(sum, power);
    v128.store(row + i, power);
  }
  return RANGE_PROBABILITY / total(sum);
}

/**
 * Self-attention within one text of `tokens` rows from row `first`: `qkv` to `context`. The query weights carry the
 * 1/√32 already. The last panel may write up to three rows too many; the next text overwrites them. Exported for tests.
 */
export function attend(first: i32, tokens: i32): void {
  const padded = <i32>roundUp8(tokens);
  const stride = padded << 2;
  const valuePanel = padded << 4;
  const base = qkv + first * QKV_BYTES;
  for (let head = 0; head < HEADS; head++) {
    const query = base + head * HEAD_BYTES;
    packKeys(query + HIDDEN_BYTES, tokens, padded);
    packValues(query + 2 * HIDDEN_BYTES, tokens, padded);
    for (let row = 0; row < tokens; row += 4) {
      quantiseFour(query + row * QKV_BYTES, QKV_BYTES, min(4, tokens - row), HEAD_SIZE, queries, rowScales, RANGE_SCORE);
      for (let token = 0; token < padded; token += 8) {
        multiplyWide4(queries, keys + (token << 6), HEAD_SIZE, scores + (token << 2), stride, rowScales, keyScales + (token << 2));
      }
      for (let i = 0; i < 4; i++) f32.store(rowScales + (i << 2), softmaxRow(scores + i * stride, tokens, padded));
      quantisePanel(scores, scores + stride, scores + 2 * stride, scores + 3 * stride, padded, probabilities, rowScales);
      v128.store(rowScales, f32x4.splat(1 / RANGE_PROBABILITY));
      const out = context + (first + row) * HIDDEN_BYTES + head * HEAD_BYTES;
      for (let panel = 0; panel < 4; panel++) {
        multiplyWide4(probabilities, values + panel * valuePanel, padded, out + panel * 32, HIDDEN_BYTES, rowScales, valueScales);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The model

/** Word row (float scale, then 384 int8) plus position row, normalised, into the stream. */
function embedToken(record: usize, position: usize, out: usize): void {
  const scale = v128.load32_splat(record);
  for (let i = 0; i < HIDDEN; i += 8) {
    const word = v128.load8x8_s(record + i, 4);
    const at = out + (i << 2);
    v128.store(at, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(word)), scale));
    v128.store(at, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(word)), scale), 16);
  }
  addAndNormalise(out, position, load<u32>(model, EMBEDDING_GAIN), load<u32>(model, EMBEDDING_BIAS), 1);
}

/** Everything of a layer after attention, for one chunk of rows. */
function finishLayer(layer: usize, first: i32, rows: i32): void {
  const at = stream + first * HIDDEN_BYTES;
  quantiseRows(context + first * HIDDEN_BYTES, rows, HIDDEN);
  linear(rows, HIDDEN, HIDDEN, load<u32>(layer, OUTPUT_WEIGHTS), load<u32>(layer, OUTPUT_SCALES), load<u32>(layer, OUTPUT_BIAS), qkv);
  addAndNormalise(at, qkv, load<u32>(layer, ATTENTION_GAIN), load<u32>(layer, ATTENTION_BIAS), rows);
  quantiseRows(at, rows, HIDDEN);
  linear(rows, HIDDEN, FEED_FORWARD, load<u32>(layer, EXPAND_WEIGHTS), load<u32>(layer, EXPAND_SCALES), load<u32>(layer, EXPAND_BIAS), wide);
  gelu(wide, rows * FEED_FORWARD);
  quantiseRows(wide, rows, FEED_FORWARD);
  linear(rows, FEED_FORWARD, HIDDEN, load<u32>(layer, CONTRACT_WEIGHTS), load<u32>(layer, CONTRACT_SCALES), load<u32>(layer, CONTRACT_BIAS), qkv);
  addAndNormalise(at, qkv, load<u32>(layer, FINAL_GAIN), load<u32>(layer, FINAL_BIAS), rows);
}

/** Mean over the tokens of one text, then length 1. */
function pool(at: usize, tokens: i32, out: usize): void {
  let squares = f32x4.splat(0);
  for (let i = 0; i < HIDDEN_BYTES; i += 16) {
    let sum = f32x4.splat(0);
    for (let token = 0; token < tokens; token++) sum = f32x4.add(sum, v128.load(at + token * HIDDEN_BYTES + i));
    v128.store(out + i, sum);
    squares = f32x4.add(squares, f32x4.mul(sum, sum));
  }
  const inverse = f32x4.splat(1 / sqrt(total(squares)));
  for (let i = 0; i < HIDDEN_BYTES; i += 16) v128.store(out + i, f32x4.mul(v128.load(out + i), inverse));
}

/**
 * One pass. `lengths`: i32 tokens of each text (1 to 256, together at most the rows of `init`); `records`: u32 address
 * of the word row of each token, texts one after another; `out`: 384 floats for each text.
 */
export function encode(texts: i32, lengths: usize, records: usize, out: usize): void {
  let rows = 0;
  for (let text = 0; text < texts; text++) {
    const tokens = i32.load(lengths + (text << 2));
    let position: usize = load<u32>(model, POSITIONS);
    for (let token = 0; token < tokens; token++) {
      embedToken(load<u32>(records + (rows << 2)), position, stream + rows * HIDDEN_BYTES);
      position += HIDDEN_BYTES;
      rows++;
    }
  }
  for (let index = 0; index < LAYERS; index++) {
    const layer = model + FIRST_LAYER + index * LAYER_ENTRY;
    for (let first = 0; first < rows; first += CHUNK) {
      const count = min(CHUNK, rows - first);
      quantiseRows(stream + first * HIDDEN_BYTES, count, HIDDEN);
      linear(count, HIDDEN, QKV, load<u32>(layer, QKV_WEIGHTS), load<u32>(layer, QKV_SCALES), load<u32>(layer, QKV_BIAS), qkv + first * QKV_BYTES);
    }
    let first = 0;
    for (let text = 0; text < texts; text++) {
      const tokens = i32.load(lengths + (text << 2));
      attend(first, tokens);
      first += tokens;
    }
    for (let chunk = 0; chunk < rows; chunk += CHUNK) finishLayer(layer, chunk, min(CHUNK, rows - chunk));
  }
  let first: usize = stream;
  for (let text = 0; text < texts; text++) {
    const tokens = i32.load(lengths + (text << 2));
    pool(first, tokens, out);
    first += tokens * HIDDEN_BYTES;
    out += HIDDEN_BYTES;
  }
}
