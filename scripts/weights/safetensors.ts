/** Gives the float32 tensor of a name. Throws where there is none. */
export type Tensors = (name: string) => Float32Array;

/** The tensors of a safetensors file: u64 length of the header, JSON, data. Only float32 is met here. */
export function readSafetensors(file: Uint8Array): Tensors {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(Buffer.from(file.subarray(8, 8 + length)).toString('utf8')) as Record<
    string,
    { readonly dtype: string; readonly data_offsets: readonly [number, number] }
  >;
  return (name) => {
    const entry = header[name];
    if (entry?.dtype !== 'F32') throw new Error(`The source has no float32 tensor ${name}.`);
    const [from, to] = entry.data_offsets;
    // Copied: a tensor may start at any byte, and a Buffer's own `slice` would share the whole file.
    return new Float32Array(Uint8Array.prototype.slice.call(file, 8 + length + from, 8 + length + to).buffer);
  };
}
