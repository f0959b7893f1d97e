import type { MemoryRuntime } from '../runtime.ts';

/** What the memory operations are handed. */
export interface MemoryOperationDeps {
  readonly memory: MemoryRuntime;
}
