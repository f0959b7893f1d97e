import { readFileSync } from 'node:fs';

export interface Tensor {
  readonly dimensions: readonly number[];
  readonly values: Float32Array;
}

/** Reads a safetensors file of float32: eight bytes of header length, a JSON header, then the data. */
export function readSafetensors(path: string): (name: string) => Tensor {
  const file = readFileSync(path);
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerLength)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  return (name) => {
    const entry = header[name];
    if (entry?.dtype !== 'F32') throw new Error(`${path}: no float32 tensor ${name}`);
    const [start, end] = entry.data_offsets.map((offset) => 8 + headerLength + offset) as [number, number];
    const bytes = Uint8Array.prototype.slice.call(file, start, end);
    return { dimensions: entry.shape, values: new Float32Array(bytes.buffer) };
  };
}
