import { MINILM_WASM } from '../generated/kernels.ts';
import { createMemory, instantiate, type WasmMemory } from '../wasm.ts';

/** What `assembly/minilm.ts` exports; addresses are bytes in the imported memory. */
export interface KernelExports {
  scratchBytes(rows: number): number;
  init(table: number, scratch: number, rows: number): void;
  encode(texts: number, lengths: number, records: number, out: number): void;
  // What follows is for tests of single steps.
  readonly qkv: { readonly value: number };
  readonly context: { readonly value: number };
  attend(first: number, tokens: number): void;
  quantiseRows(at: number, rows: number, depth: number): void;
  linear(rows: number, depth: number, width: number, weights: number, scales: number, bias: number, out: number): void;
  gelu(at: number, count: number): void;
  exponentials(at: number, count: number): void;
}

export interface Kernel {
  readonly exports: KernelExports;
  readonly memory: WasmMemory;
}

/** 64 MiB: four times what the model takes; a bound on what a wrong size could ask for. */
const MAX_PAGES = 1_024;

/** The kernel over an empty memory of its own. */
export function createKernel(): Kernel {
  const memory = createMemory(MAX_PAGES);
  return { exports: instantiate<KernelExports>(MINILM_WASM, memory), memory };
}
