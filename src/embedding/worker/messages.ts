import type { ErrorCode } from '../../kernel/index.ts';
import type { WeightsLocation } from '../weights/location.ts';

/** What the worker is started with. */
export interface WorkerInput {
  readonly location: WeightsLocation;
  readonly cacheDirectory: string | undefined;
}

export type Priority = 'query' | 'background';

/** Main thread to worker. */
export type ToWorker =
  | { readonly type: 'embed'; readonly id: number; readonly texts: readonly string[]; readonly priority: Priority }
  | { readonly type: 'cancel'; readonly id: number };

/** A coded failure in a form that survives the copy between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One job's vectors, texts one after another; the buffer moves, it is not copied. */
export interface JobResult {
  readonly vectors: Float32Array;
  readonly tokens: readonly number[];
  readonly unknownShares: readonly number[];
}

/** Worker to main thread. `refused`: the model does not load and the worker ends. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly failure: Failure }
  | { readonly type: 'done'; readonly id: number; readonly result: JobResult };
