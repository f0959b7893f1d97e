/**
 * Writes ONNX files: just enough of the format (protobuf messages of onnx.proto3) for a graph of standard operators
 * with float32 and int64 constants.
 */

type Attribute = number | readonly number[];

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 128 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

/** One field: a number as varint, a text or bytes with their length. */
function field(number: number, value: number | string | Uint8Array): Uint8Array {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

const FLOAT = 1;
const INT64 = 7;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

function attribute(name: string, value: Attribute): Uint8Array {
  const parts =
    typeof value === 'number'
      ? [field(3, value), field(20, ATTRIBUTE_INT)]
      : [...value.map((item) => field(8, item)), field(20, ATTRIBUTE_INTS)];
  return Buffer.concat([field(1, name), ...parts]);
}

function tensor(name: string, dimensions: readonly number[], type: number, data: Uint8Array): Uint8Array {
  return Buffer.concat([...dimensions.map((size) => field(1, size)), field(2, type), field(8, name), field(9, data)]);
}

/** A named value with a type and with sizes, of which those that vary are names. */
function valueInfo(name: string, type: number, dimensions: readonly (number | string)[]): Uint8Array {
  const shape = dimensions.map((size) => field(1, typeof size === 'number' ? field(1, size) : field(2, size)));
  const tensorType = Buffer.concat([field(1, type), field(2, Buffer.concat(shape))]);
  return Buffer.concat([field(1, name), field(2, field(1, tensorType))]);
}

/** A graph that grows by one node at a time; names of values are made up here. */
export class OnnxGraph {
  readonly #nodes: Uint8Array[] = [];
  readonly #constants: Uint8Array[] = [];
  readonly #inputs: Uint8Array[] = [];
  readonly #outputs: Uint8Array[] = [];
  #count = 0;

  /** Adds an input of int64; gives its name. */
  input(name: string, dimensions: readonly (number | string)[]): string {
    this.#inputs.push(field(11, valueInfo(name, INT64, dimensions)));
    return name;
  }

  floats(dimensions: readonly number[], values: Float32Array): string {
    const name = `constant_${this.#count++}`;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.#constants.push(field(5, tensor(name, dimensions, FLOAT, bytes)));
    return name;
  }

  float(value: number): string {
    return this.floats([], Float32Array.of(value));
  }

  integers(values: readonly number[], dimensions: readonly number[] = [values.length]): string {
    const name = `constant_${this.#count++}`;
    const data = BigInt64Array.from(values, BigInt);
    this.#constants.push(field(5, tensor(name, dimensions, INT64, new Uint8Array(data.buffer))));
    return name;
  }

  /** Adds an operator with one output; gives the output's name. */
  node(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}): string {
    const name = `${operator.toLowerCase()}_${this.#count++}`;
    const parts = Object.entries(attributes).map(([key, value]) => field(5, attribute(key, value)));
    const links = [...inputs.map((input) => field(1, input)), field(2, name)];
    this.#nodes.push(field(1, Buffer.concat([...links, field(3, name), field(4, operator), ...parts])));
    return name;
  }

  /** Names a value as the float32 output of the graph. */
  output(value: string, name: string, dimensions: readonly (number | string)[]): void {
    const links = [field(1, value), field(2, name)];
    this.#nodes.push(field(1, Buffer.concat([...links, field(3, name), field(4, 'Identity')])));
    this.#outputs.push(field(12, valueInfo(name, FLOAT, dimensions)));
  }

  /** The bytes of the model file, for operator set 11. */
  toFile(graphName: string): Uint8Array {
    const parts = [...this.#nodes, field(2, graphName), ...this.#constants, ...this.#inputs, ...this.#outputs];
    const operatorSet = Buffer.concat([field(1, ''), field(2, 11)]);
    return Buffer.concat([field(1, 6), field(7, Buffer.concat(parts)), field(8, operatorSet)]);
  }
}
