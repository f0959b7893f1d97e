/** A dense matrix, row by row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** `x · weightsᵀ + bias`. */
export interface Product {
  readonly weights: Matrix;
  readonly bias: Float32Array;
}

export function createMatrix(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float32Array(rows * columns) };
}

export function rowOf(matrix: Matrix, row: number): Float32Array {
  return matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns);
}

/** Four rows of the weights at a time, which must be a multiple of four. */
export function applyProduct(x: Matrix, { weights: w, bias }: Product): Matrix {
  const out = createMatrix(x.rows, w.rows);
  const depth = x.columns;
  for (let column = 0; column < w.rows; column += 4) {
    const [w0, w1, w2, w3] = [0, 1, 2, 3].map((i) => rowOf(w, column + i)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    for (let row = 0; row < x.rows; row++) {
      const values = rowOf(x, row);
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let k = 0; k < depth; k++) {
        const value = values[k] as number;
        s0 += value * (w0[k] as number);
        s1 += value * (w1[k] as number);
        s2 += value * (w2[k] as number);
        s3 += value * (w3[k] as number);
      }
      const at = row * w.rows + column;
      out.values[at] = s0 + (bias[column] ?? 0);
      out.values[at + 1] = s1 + (bias[column + 1] ?? 0);
      out.values[at + 2] = s2 + (bias[column + 2] ?? 0);
      out.values[at + 3] = s3 + (bias[column + 3] ?? 0);
    }
  }
  return out;
}

/** `xᵀ · x / rows` in double precision, the upper triangle mirrored. */
export function secondMoments(x: Matrix): Float64Array {
  const size = x.columns;
  const sums = new Float64Array(size * size);
  for (let row = 0; row < x.rows; row++) {
    const values = rowOf(x, row);
    for (let i = 0; i < size; i++) {
      const value = (values[i] as number) / x.rows;
      const line = sums.subarray(i * size, (i + 1) * size);
      for (let j = i; j < size; j++) line[j] = (line[j] as number) + value * (values[j] as number);
    }
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) sums[i * size + j] = sums[j * size + i] as number;
  return sums;
}
