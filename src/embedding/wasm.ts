/** The slice of the WebAssembly API that this room uses; the language library without the browser's does not type it. */
export interface WasmMemory {
  /** Changes with every `grow`: views must be made anew. */
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmApi {
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { readonly exports: unknown };
}

/** Bytes of one page, the unit of `grow`. */
export const PAGE_BYTES = 65_536;

const api = (): WasmApi => (globalThis as unknown as { readonly WebAssembly: WasmApi }).WebAssembly;

/** An empty memory that may grow to `maximum` pages; address space is reserved, nothing else. */
export function createMemory(maximum: number): WasmMemory {
  return new (api().Memory)({ initial: 0, maximum });
}

/** Compiles one of our kernels (base64, a few kB, about 2 ms) over a memory. The caller says what it exports. */
export function instantiate<Exports>(base64: string, memory: WasmMemory): Exports {
  const { Module, Instance } = api();
  return new Instance(new Module(Buffer.from(base64, 'base64')), { env: { memory } }).exports as Exports;
}
