import { Worker } from 'node:worker_threads';
import { CairnError, type ErrorShape } from '../kernel/index.ts';
import { runTaskHere, type StorageTask, type StorageTaskResult } from './tasks.ts';

/** Where the storage worker's entry is (the built file of `worker.ts`): an absolute path or a URL object. */
export interface StorageWorker {
  readonly entry: string | URL;
}

/** What the worker sends back, once. */
export type WorkerAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorShape }
  | { readonly ok: false; readonly defect: string };

/**
 * Runs a task in a thread of its own, which ends with it. Without a worker it runs in the calling thread: right for a
 * command that does nothing else, wrong for a server.
 */
export async function runTask<Task extends StorageTask>(
  task: Task,
  worker: StorageWorker | undefined,
): Promise<StorageTaskResult[Task['kind']]> {
  const value = worker === undefined ? await runTaskHere(task) : await runInWorker(task, worker);
  return value as StorageTaskResult[Task['kind']];
}

function runInWorker(task: StorageTask, worker: StorageWorker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker.entry, { workerData: task });
    thread.once('message', (answer: WorkerAnswer) => {
      if (answer.ok) resolve(answer.value);
      else if ('error' in answer) {
        const { code, message, field, repair } = answer.error;
        reject(
          new CairnError(code, message, {
            ...(field === undefined ? {} : { field }),
            ...(repair === undefined ? {} : { repair }),
          }),
        );
      } else reject(new Error(answer.defect));
    });
    thread.once('error', reject);
    thread.once('exit', (code) =>
      reject(new Error(`The storage worker stopped without an answer (exit code ${code}).`)),
    );
  });
}
