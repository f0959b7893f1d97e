// Float rows to int16, with one scale for each row.

import { activations, rowScales } from './scratch';
import { WIDE } from './shape';

// Integer ranges. A product sums K terms of at most range × 127 (int8) or range × range (int16); the sum must stay
// below 2^31 = 2,147,483,648.
/** K = 384: 384 × 127 × 32,767 = 1,597,981,056; the whole of int16 fits. */
const RANGE_HIDDEN: f32 = 32767;
/** K = 1,600: 1,600 × 127 × 10,500 = 2,133,600,000. The limit is 10,568; the rest is reserve for rounding. */
const RANGE_WIDE: f32 = 10500;
/** Scores, K = 32, int16 on both sides: 32 × 8,191 × 8,191 = 2,146,959,392. */
export const RANGE_SCORE: f32 = 8191;
/** Probabilities of a row sum to at most 32,767 + 128 (rounding of 256 tokens); times 32,767: 1,077,870,465. */
export const RANGE_PROBABILITY: f32 = 32767;
export const RANGE_VALUE: f32 = 32767;

/** Below this a row counts as zero: the scale stays finite and every quantised value is 0. */
export const SMALLEST_PEAK: f32 = 1e-20;
/** 1.5 × 2^23: adding it to |x| < 2^22 leaves the nearest integer (ties to even) in the low mantissa bits. */
export const ROUND_MAGIC: f32 = 12582912;
const ROUND_MAGIC_BITS: i32 = 0x4b400000;

@inline
export function largest(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}

@inline
export function total(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** The largest absolute value of `count` floats, a multiple of four. */
export function peak(at: usize, count: i32): f32 {
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
export function quantise8(at: usize, inverse: v128): v128 {
  return i16x8.narrow_i32x4_s(toIntegers(v128.load(at), inverse), toIntegers(v128.load(at, 16), inverse));
}

/** Four rows of `depth` floats to one panel `[K/2][4][2]` int16, each row times its own inverse scale. */
export function quantisePanel(row0: usize, row1: usize, row2: usize, row3: usize, depth: i32, out: usize, inverses: usize): void {
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
export function quantiseFour(at: usize, stride: usize, count: i32, depth: i32, out: usize, scale: usize, range: f32): void {
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

/** Quantises up to 64 rows of 384 or 1,600 floats into `activations` and `rowScales`. Exported for tests. */
export function quantiseRows(at: usize, rows: i32, depth: i32): void {
  const range = depth == WIDE ? RANGE_WIDE : RANGE_HIDDEN;
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
