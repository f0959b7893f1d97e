import { OnnxGraph } from '../support/onnx-writer.ts';
import { readSafetensors, type Tensor } from '../support/safetensors.ts';

const LAYERS = 6;
const HEADS = 12;
const HEAD_SIZE = 32;
const HIDDEN = 384;
const POSITIONS = 512;

function transpose({ dimensions, values }: Tensor): Tensor {
  const [rows = 0, columns = 0] = dimensions;
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      turned[column * rows + row] = values[row * columns + column] ?? 0;
    }
  }
  return { dimensions: [columns, rows], values: turned };
}

/**
 * all-MiniLM-L6-v2 as an ONNX file in full precision, from the published `model.safetensors`. A peer that wants ONNX
 * gets the weights of the original, in the plain operators that every runtime knows.
 */
export function minilmAsOnnx(weightsPath: string): Uint8Array {
  const read = readSafetensors(weightsPath);
  const graph = new OnnxGraph();
  const constant = ({ dimensions, values }: Tensor): string => graph.floats(dimensions, values);

  const layerNorm = (input: string, name: string): string => {
    const mean = graph.node('ReduceMean', [input], { axes: [-1], keepdims: 1 });
    const centred = graph.node('Sub', [input, mean]);
    const squared = graph.node('Mul', [centred, centred]);
    const variance = graph.node('ReduceMean', [squared], { axes: [-1], keepdims: 1 });
    const deviation = graph.node('Sqrt', [graph.node('Add', [variance, graph.float(1e-12)])]);
    const scaled = graph.node('Mul', [graph.node('Div', [centred, deviation]), constant(read(`${name}.weight`))]);
    return graph.node('Add', [scaled, constant(read(`${name}.bias`))]);
  };
  const linear = (input: string, name: string): string => {
    const product = graph.node('MatMul', [input, constant(transpose(read(`${name}.weight`)))]);
    return graph.node('Add', [product, constant(read(`${name}.bias`))]);
  };
  const gelu = (input: string): string => {
    const erf = graph.node('Erf', [graph.node('Div', [input, graph.float(Math.SQRT2)])]);
    const grown = graph.node('Mul', [input, graph.node('Add', [erf, graph.float(1)])]);
    return graph.node('Mul', [grown, graph.float(0.5)]);
  };

  const ids = graph.input('input_ids', ['batch', 'sequence']);
  const mask = graph.input('attention_mask', ['batch', 'sequence']);
  const types = graph.input('token_type_ids', ['batch', 'sequence']);

  const gather = (table: string, from: string): string =>
    graph.node('Gather', [constant(read(table)), from], { axis: 0 });
  /** One size of a value as a list of one number. Some runtimes cannot infer shapes from a reshape with zeros. */
  const sizeOf = (value: string, axis: number): string => {
    const size = graph.node('Gather', [graph.node('Shape', [value]), graph.integers([axis], [])], { axis: 0 });
    return graph.node('Unsqueeze', [size], { axes: [0] });
  };
  /** Keeps the first two sizes, batch and sequence, and splits the rest into `sizes`. */
  const reshape = (value: string, sizes: readonly number[]): string => {
    const rest = sizes.map((size) => graph.integers([size]));
    const shape = graph.node('Concat', [sizeOf(value, 0), sizeOf(value, 1), ...rest], { axis: 0 });
    return graph.node('Reshape', [value, shape]);
  };
  const everyPosition = graph.integers(
    Array.from({ length: POSITIONS }, (_, position) => position),
    [1, POSITIONS],
  );
  const taken = graph.node('Slice', [
    everyPosition,
    graph.integers([0]),
    sizeOf(ids, 1),
    graph.integers([1]),
    graph.integers([1]),
  ]);
  const positions = gather('embeddings.position_embeddings.weight', taken);
  const words = gather('embeddings.word_embeddings.weight', ids);
  const typed = graph.node('Add', [words, gather('embeddings.token_type_embeddings.weight', types)]);
  let hidden = layerNorm(graph.node('Add', [typed, positions]), 'embeddings.LayerNorm');

  const present = graph.node('Cast', [graph.node('Unsqueeze', [mask], { axes: [1, 2] })], { to: 1 });
  const bias = graph.node('Mul', [graph.node('Sub', [graph.float(1), present]), graph.float(-10_000)]);

  for (let layer = 0; layer < LAYERS; layer++) {
    const at = `encoder.layer.${layer}`;
    const heads = (name: string, order: readonly number[]): string => {
      const split = reshape(linear(hidden, `${at}.attention.self.${name}`), [HEADS, HEAD_SIZE]);
      return graph.node('Transpose', [split], { perm: order });
    };
    const scores = graph.node('MatMul', [heads('query', [0, 2, 1, 3]), heads('key', [0, 2, 3, 1])]);
    const scaled = graph.node('Add', [graph.node('Mul', [scores, graph.float(HEAD_SIZE ** -0.5)]), bias]);
    const weights = graph.node('Softmax', [scaled], { axis: 3 });
    const mixed = graph.node('MatMul', [weights, heads('value', [0, 2, 1, 3])]);
    const joined = reshape(graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] }), [HIDDEN]);
    const attended = graph.node('Add', [linear(joined, `${at}.attention.output.dense`), hidden]);
    const middle = layerNorm(attended, `${at}.attention.output.LayerNorm`);
    const grown = gelu(linear(middle, `${at}.intermediate.dense`));
    hidden = layerNorm(graph.node('Add', [linear(grown, `${at}.output.dense`), middle]), `${at}.output.LayerNorm`);
  }
  graph.output(hidden, 'last_hidden_state', ['batch', 'sequence', HIDDEN]);
  return graph.toFile('all-MiniLM-L6-v2');
}
