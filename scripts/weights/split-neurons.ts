import { SPLIT_NEURONS } from '../../src/embedding/weights/layout.ts';
import { createMatrix, type Matrix, type Product, rowOf } from './matrix.ts';

/** Row and column of the largest weight, each row's weights counted times `gain` of the row. */
function findPeak(weights: Matrix, copies: Uint8Array, gain: Float32Array): number {
  let highest = -1;
  let neuron = 0;
  for (let row = 0; row < weights.rows; row++) {
    const values = rowOf(weights, row);
    const factor = Math.abs(gain[row] as number);
    for (let k = 0; k < values.length; k++) {
      const size = (Math.abs(values[k] as number) / (copies[k] as number)) * factor;
      if (size > highest) {
        highest = size;
        neuron = k;
      }
    }
  }
  return neuron;
}

/**
 * Computes the neurons with the largest outgoing weights several times, each copy with its share of the weights: the
 * same function, 64 neurons more, and rows whose peak is nearer to their other weights. `gain` is that of the layer norm
 * that follows.
 */
export function splitNeurons(
  expand: Product,
  contract: Product,
  gain: Float32Array,
): { expand: Product; contract: Product } {
  const neurons = contract.weights.columns;
  const copies = new Uint8Array(neurons).fill(1);
  for (let extra = 0; extra < SPLIT_NEURONS; extra++) {
    const neuron = findPeak(contract.weights, copies, gain);
    copies[neuron] = (copies[neuron] as number) + 1;
  }
  const origin = Array.from(copies, (count, neuron) => new Array<number>(count).fill(neuron)).flat();

  const wider = createMatrix(origin.length, expand.weights.columns);
  const deeper = createMatrix(contract.weights.rows, origin.length);
  for (const [place, neuron] of origin.entries()) {
    rowOf(wider, place).set(rowOf(expand.weights, neuron));
    for (let row = 0; row < deeper.rows; row++) {
      rowOf(deeper, row)[place] = (rowOf(contract.weights, row)[neuron] as number) / (copies[neuron] as number);
    }
  }
  return {
    expand: { weights: wider, bias: Float32Array.from(origin, (neuron) => expand.bias[neuron] as number) },
    contract: { weights: deeper, bias: contract.bias },
  };
}
