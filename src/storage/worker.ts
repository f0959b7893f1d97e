/** Entry of the storage worker: does the one task it was started with and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { isCairnError } from '../kernel/index.ts';
import { runTaskHere, type StorageTask } from './tasks.ts';
import type { WorkerAnswer } from './worker-client.ts';

async function answer(task: StorageTask): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: await runTaskHere(task) };
  } catch (error) {
    if (isCairnError(error)) return { ok: false, error: error.toShape() };
    return { ok: false, defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// Not a top-level await: the built entry may be CommonJS.
void answer(workerData as StorageTask).then((message) => parentPort?.postMessage(message));
