// Matrix products with int32 sums.

import { activations, noBias, rowScales } from './scratch';

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
export function multiplyWide4(a: usize, b: usize, depth: i32, out: usize, stride: usize, rowScale: usize, columnScale: usize): void {
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
