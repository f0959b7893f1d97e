// Self-attention within one text.

import { exponential } from './functions';
import { multiplyWide4 } from './products';
import {
  largest,
  peak,
  quantise8,
  quantiseFour,
  quantisePanel,
  RANGE_PROBABILITY,
  RANGE_SCORE,
  RANGE_VALUE,
  SMALLEST_PEAK,
  total,
} from './quantise';
import { context, keyScales, keys, probabilities, qkv, queries, roundUp8, rowScales, scores, valueScales, values } from './scratch';
import { HEAD_BYTES, HEAD_SIZE, HEADS, HIDDEN_BYTES, QKV_BYTES } from './shape';

/** Score of the columns that fill a panel beyond the last token: exp gives 0. */
const MASKED: f32 = -1e30;

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
