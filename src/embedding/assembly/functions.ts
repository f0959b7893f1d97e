// What stands between the products, in float32: layer norm, GELU, the exponential.

import { ROUND_MAGIC, total } from './quantise';
import { HIDDEN, HIDDEN_BYTES } from './shape';

/** BERT's layer norm epsilon. */
const NORM_EPSILON: f32 = 1e-12;

/** `x = layerNorm(x + y) × gain + bias` for `rows` rows of 384. */
export function addAndNormalise(x: usize, y: usize, gain: usize, bias: usize, rows: i32): void {
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
export function exponential(x: v128): v128 {
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
