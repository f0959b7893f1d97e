import { SCAN_WASM } from '../generated/kernels.ts';
import { createMemory, instantiate, type WasmMemory } from '../wasm.ts';

/** What `assembly/scan.ts` exports; addresses are bytes in the imported memory. */
export interface ScanExports {
  dotFloat(row: number, dimension: number, query: number): number;
  scanFloat(rows: number, count: number, dimension: number, query: number, scores: number): void;
  scanHigh(
    high: number,
    scales: number,
    count: number,
    dimension: number,
    query: number,
    queryScale: number,
    scores: number,
  ): void;
  dotSplit(high: number, low: number, scale: number, dimension: number, query: number): number;
  split(rows: number, count: number, dimension: number, high: number, low: number, scales: number): void;
}

export interface ScanKernel {
  readonly exports: ScanExports;
  readonly memory: WasmMemory;
}

/** 4 GiB, all that 32-bit addresses reach: about 3.6 million split vectors of 384 dimensions. */
const MAX_PAGES = 65_536;

/** The kernel over an empty memory of its own. */
export function createScanKernel(): ScanKernel {
  const memory = createMemory(MAX_PAGES);
  return { exports: instantiate<ScanExports>(SCAN_WASM, memory), memory };
}
