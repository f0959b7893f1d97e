import { type Matrix, rowOf } from './matrix.ts';

export interface Rounded {
  readonly integers: Int8Array;
  /** One for each row: value = integer × scale. */
  readonly scales: Float32Array;
}

const LARGEST = 127;
/** Added to the diagonal, as a share of its mean: keeps directions that the calibration texts hardly use near the plain rounding. */
const DAMPING = 0.003;
/** Scales that are tried for a row: from 0.7 to 1 times the one that puts the row's peak at 127. */
const SCALE_STEPS = 30;
const SCALE_STEP = 0.01;

const toInteger = (value: number): number => Math.max(-LARGEST, Math.min(LARGEST, Math.round(value)));

/** The scale with the least squared error of plain rounding, each column weighted by the mean square of its input. */
function chooseScale(row: Float32Array, weightOf: (column: number) => number): number {
  const widest = row.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0) / LARGEST;
  let best = widest;
  let least = Number.POSITIVE_INFINITY;
  for (let step = 0; step <= SCALE_STEPS; step++) {
    const scale = Math.fround(widest * (1 - SCALE_STEP * step));
    let error = 0;
    for (let k = 0; k < row.length; k++) {
      const value = row[k] as number;
      error += (toInteger(value / scale) * scale - value) ** 2 * weightOf(k);
    }
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  return Math.fround(best);
}

/** Plain rounding, for rows that no product sums over. */
export function roundRows(matrix: Matrix): Rounded {
  const integers = new Int8Array(matrix.values.length);
  const scales = new Float32Array(matrix.rows);
  for (let row = 0; row < matrix.rows; row++) {
    const values = rowOf(matrix, row);
    const scale = chooseScale(values, () => 1);
    scales[row] = scale;
    for (let k = 0; k < values.length; k++)
      integers[row * matrix.columns + k] = toInteger((values[k] as number) / scale);
  }
  return { integers, scales };
}

/**
 * The strictly upper part of U in `h = (I + U) · D · (I + U)ᵀ`, column by column from the last: what the error of an
 * earlier column asks of a later one. `h` is used up.
 */
function decompose(h: Float64Array, size: number): Float64Array {
  const upper = new Float64Array(size * size);
  const column = new Float64Array(size);
  for (let k = size - 1; k >= 0; k--) {
    const pivot = h[k * size + k] as number;
    for (let i = 0; i < k; i++) column[i] = h[i * size + k] as number;
    for (let i = 0; i < k; i++) {
      const factor = (column[i] as number) / pivot;
      upper[i * size + k] = factor;
      const line = h.subarray(i * size, i * size + k);
      for (let j = i; j < k; j++) line[j] = (line[j] as number) - factor * (column[j] as number);
    }
  }
  return upper;
}

/**
 * Rounds the weights of a product so that its *output* changes least on the inputs with these second moments: column by
 * column, each takes over what the columns before it lost (LDLQ of QuIP, Chee et al. 2023, which equals GPTQ). Halves
 * the error of plain rounding or better. `moments` is used up.
 */
export function roundProduct(weights: Matrix, moments: Float64Array): Rounded {
  const size = weights.columns;
  let trace = 0;
  for (let k = 0; k < size; k++) trace += moments[k * size + k] as number;
  for (let k = 0; k < size; k++) moments[k * size + k] = (moments[k * size + k] as number) + (DAMPING * trace) / size;
  const diagonal = Float64Array.from({ length: size }, (_, k) => moments[k * size + k] as number);
  const upper = decompose(moments, size);

  const integers = new Int8Array(weights.values.length);
  const scales = new Float32Array(weights.rows);
  const carried = new Float64Array(size);
  for (let row = 0; row < weights.rows; row++) {
    const values = rowOf(weights, row);
    const scale = chooseScale(values, (k) => diagonal[k] as number);
    scales[row] = scale;
    carried.fill(0);
    for (let k = 0; k < size; k++) {
      const integer = toInteger(((values[k] as number) + (carried[k] as number)) / scale);
      integers[row * size + k] = integer;
      const lost = (values[k] as number) - integer * scale;
      const line = upper.subarray(k * size, (k + 1) * size);
      for (let j = k + 1; j < size; j++) carried[j] = (carried[j] as number) + lost * (line[j] as number);
    }
  }
  return { integers, scales };
}
