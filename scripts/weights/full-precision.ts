import { SHAPE } from '../../src/embedding/weights/layout.ts';
import { applyProduct, createMatrix, type Matrix, type Product, rowOf } from './matrix.ts';
import type { Tensors } from './safetensors.ts';
import { splitNeurons } from './split-neurons.ts';

/** The products of one layer, by their names in the weights file. */
interface LayerProducts {
  readonly qkv: Product;
  readonly output: Product;
  readonly expand: Product;
  readonly contract: Product;
}

const HEAD_SIZE = SHAPE.hidden / SHAPE.heads;
const NORM_EPSILON = 1e-12;

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The products of layer `index`: query, key and value joined, queries times 1/√32, outlying neurons split. */
function productsOf(tensor: Tensors, index: number): LayerProducts {
  const from = `encoder.layer.${index}`;
  const perScore = Math.fround(1 / Math.sqrt(HEAD_SIZE));
  const toProduct = (weights: Float32Array, bias: Float32Array): Product => ({
    weights: { rows: bias.length, columns: weights.length / bias.length, values: weights },
    bias,
  });
  const joined = (kind: 'weight' | 'bias'): Float32Array => {
    const [query, key, value] = ['query', 'key', 'value'].map((part) =>
      tensor(`${from}.attention.self.${part}.${kind}`),
    );
    return concatenate([
      (query ?? new Float32Array()).map((x) => x * perScore),
      key ?? new Float32Array(),
      value ?? new Float32Array(),
    ]);
  };
  const dense = (name: string): Product => toProduct(tensor(`${from}.${name}.weight`), tensor(`${from}.${name}.bias`));
  return {
    qkv: toProduct(joined('weight'), joined('bias')),
    output: dense('attention.output.dense'),
    ...splitNeurons(dense('intermediate.dense'), dense('output.dense'), tensor(`${from}.output.LayerNorm.weight`)),
  };
}

/** Layer norm of `x + y` in place. */
function addAndNormalise(x: Matrix, y: Matrix, gain: Float32Array, bias: Float32Array): void {
  for (let row = 0; row < x.rows; row++) {
    const values = rowOf(x, row);
    const added = rowOf(y, row);
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      values[i] = (values[i] as number) + (added[i] as number);
      sum += values[i] as number;
    }
    const mean = sum / values.length;
    let squares = 0;
    for (const value of values) squares += (value - mean) ** 2;
    const inverse = 1 / Math.sqrt(squares / values.length + NORM_EPSILON);
    for (let i = 0; i < values.length; i++) {
      values[i] = ((values[i] as number) - mean) * inverse * (gain[i] as number) + (bias[i] as number);
    }
  }
}

/** erf after Abramowitz and Stegun 7.1.26, error 1.5e-7: enough to see what the inputs of a product look like. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const polynomial = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - polynomial * Math.exp(-x * x));
}

function attend(qkv: Matrix, lengths: readonly number[]): Matrix {
  const context = createMatrix(qkv.rows, SHAPE.hidden);
  let first = 0;
  for (const length of lengths) {
    for (let head = 0; head < SHAPE.heads; head++) {
      for (let token = 0; token < length; token++)
        attendOne(qkv, context, { first, length, token, at: head * HEAD_SIZE });
    }
    first += length;
  }
  return context;
}

/** One token and one head; `at` is the head's first column. */
function attendOne(
  qkv: Matrix,
  context: Matrix,
  place: { first: number; length: number; token: number; at: number },
): void {
  const { first, length, token, at } = place;
  const query = rowOf(qkv, first + token);
  const weights = Array.from({ length }, (_, other) => {
    const key = rowOf(qkv, first + other);
    let score = 0;
    for (let i = 0; i < HEAD_SIZE; i++) score += (query[at + i] as number) * (key[SHAPE.hidden + at + i] as number);
    return score;
  });
  const highest = Math.max(...weights);
  let total = 0;
  for (let i = 0; i < length; i++) total += weights[i] = Math.exp((weights[i] as number) - highest);
  const out = rowOf(context, first + token);
  for (let other = 0; other < length; other++) {
    const value = rowOf(qkv, first + other);
    const share = (weights[other] as number) / total;
    for (let i = 0; i < HEAD_SIZE; i++)
      out[at + i] = (out[at + i] as number) + share * (value[2 * SHAPE.hidden + at + i] as number);
  }
}

/** Receives each product with its inputs over all texts. */
export type OnProduct = (name: string, product: Product, inputs: Matrix) => void;

/** Runs the texts (token ids) through the model in full precision and shows the inputs of every product on the way. */
export function walkProducts(tensor: Tensors, texts: readonly (readonly number[])[], onProduct: OnProduct): void {
  const lengths = texts.map((ids) => ids.length);
  const stream = createMatrix(
    lengths.reduce((sum, length) => sum + length, 0),
    SHAPE.hidden,
  );
  const positions = createMatrix(stream.rows, SHAPE.hidden);
  const words = tensor('embeddings.word_embeddings.weight');
  const places = tensor('embeddings.position_embeddings.weight');
  const tokenType = tensor('embeddings.token_type_embeddings.weight');
  let row = 0;
  for (const ids of texts) {
    for (const [place, id] of ids.entries()) {
      rowOf(stream, row).set(words.subarray(id * SHAPE.hidden, (id + 1) * SHAPE.hidden));
      const line = rowOf(positions, row++);
      for (let i = 0; i < SHAPE.hidden; i++)
        line[i] = (places[place * SHAPE.hidden + i] as number) + (tokenType[i] as number);
    }
  }
  const normalise = (added: Matrix, name: string): void =>
    addAndNormalise(stream, added, tensor(`${name}.weight`), tensor(`${name}.bias`));
  normalise(positions, 'embeddings.LayerNorm');

  for (let index = 0; index < SHAPE.layers; index++) {
    const products = productsOf(tensor, index);
    const apply = (name: keyof LayerProducts, inputs: Matrix): Matrix => {
      onProduct(`layer${index}.${name}`, products[name], inputs);
      return applyProduct(inputs, products[name]);
    };
    const context = attend(apply('qkv', stream), lengths);
    normalise(apply('output', context), `encoder.layer.${index}.attention.output.LayerNorm`);
    const wide = apply('expand', stream);
    for (let i = 0; i < wide.values.length; i++) {
      const x = wide.values[i] as number;
      wide.values[i] = (x / 2) * (1 + erf(x / Math.SQRT2));
    }
    normalise(apply('contract', wide), `encoder.layer.${index}.output.LayerNorm`);
  }
}
