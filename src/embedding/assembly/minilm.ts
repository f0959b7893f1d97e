// The encoder of all-MiniLM-L6-v2: BERT with 6 layers, hidden size 384, 12 heads of 32, feed-forward 1,536. This file is
// the model from token rows to pooled vectors; the files that it imports are its steps.
//
// Linear layers are int8 weights times int16 activations with int32 sums; everything between them is float32. There is
// no heap: the host hands in the address of the model table, of a scratch area and of every input. A row is one token;
// the rows of all texts of a pass lie one after another, without padding. A row's values never depend on its neighbours
// in the pass, so a text has the same vector, bit for bit, alone and in any batch.
//
// Terms: K is the depth of a product (columns of the input), N its width (columns of the output). A panel is four
// rows of activations or eight columns of weights, stored so that the inner loop reads straight ahead.

import { attend } from './attention';
import { addAndNormalise, exponentials, gelu } from './functions';
import { linear } from './products';
import { quantiseRows, total } from './quantise';
import { context, layOut, noBias, qkv, stream, wide } from './scratch';
import { CHUNK, HIDDEN, HIDDEN_BYTES, LAYERS, QKV, QKV_BYTES, WIDE } from './shape';

// For tests of single steps.
export { attend, context, exponentials, gelu, linear, qkv, quantiseRows };

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
  linear(rows, HIDDEN, WIDE, load<u32>(layer, EXPAND_WEIGHTS), load<u32>(layer, EXPAND_SCALES), load<u32>(layer, EXPAND_BIAS), wide);
  gelu(wide, rows * WIDE);
  quantiseRows(wide, rows, WIDE);
  linear(rows, WIDE, HIDDEN, load<u32>(layer, CONTRACT_WEIGHTS), load<u32>(layer, CONTRACT_SCALES), load<u32>(layer, CONTRACT_BIAS), qkv);
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
