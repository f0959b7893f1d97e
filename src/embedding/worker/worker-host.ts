import { Worker } from 'node:worker_threads';
import { CairnError } from '../../kernel/index.ts';
import type { Failure, FromWorker, JobResult, Priority, ToWorker, WorkerInput } from './messages.ts';

/** The worker's JavaScript heap holds the vocabulary and little else; the model lies outside of it. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 } as const;

export interface WorkerEvents {
  /** The model is loaded. */
  onReady(): void;
  /** The model was refused; the waiting jobs have failed and the worker has ended. */
  onRefused(failure: Failure): void;
  /** The worker ended by itself; the waiting jobs have failed. */
  onCrash(): void;
  /** A job was answered; `waiting` jobs are left. */
  onAnswer(waiting: number): void;
}

/** One worker thread from its start to its end. It keeps the process alive only while a job waits. */
export interface WorkerHost {
  run(texts: readonly string[], priority: Priority, signal: AbortSignal | undefined): Promise<JobResult>;
  readonly waiting: number;
  /** Ends the thread, which returns its memory; waiting jobs fail with `reason`. */
  close(reason: CairnError): Promise<void>;
}

interface Waiting {
  resolve(result: JobResult): void;
  reject(error: unknown): void;
}

const toError = ({ code, message }: Failure): CairnError => new CairnError(code, message);

export function startWorker(path: string | URL, input: WorkerInput, events: WorkerEvents): WorkerHost {
  const worker = new Worker(path, {
    workerData: input,
    resourceLimits: HEAP_LIMITS,
    // The worker is built code: a loader that the process was started with would only cost its start.
    execArgv: [],
  });
  const jobs = new Map<number, Waiting>();
  let lastId = 0;
  let hasEnded = false;
  worker.unref();

  const send = (message: ToWorker): void => worker.postMessage(message);
  const settle = (id: number): Waiting | undefined => {
    const job = jobs.get(id);
    jobs.delete(id);
    if (jobs.size === 0) worker.unref();
    return job;
  };
  const end = (error: CairnError): void => {
    hasEnded = true;
    for (const id of [...jobs.keys()]) settle(id)?.reject(error);
  };
  const crash = (cause: unknown): void => {
    if (hasEnded) return;
    end(
      new CairnError('embedder_failed', 'The embedding worker stopped; it starts again with the next call.', { cause }),
    );
    events.onCrash();
  };

  worker.on('message', (message: FromWorker) => {
    if (hasEnded) return;
    if (message.type === 'ready') return events.onReady();
    if (message.type === 'refused') {
      end(toError(message.failure));
      void worker.terminate();
      return events.onRefused(message.failure);
    }
    settle(message.id)?.resolve(message.result);
    events.onAnswer(jobs.size);
  });
  worker.on('error', crash);
  worker.on('exit', (code) => crash(new Error(`The worker thread ended with code ${code}.`)));

  return {
    run(texts, priority, signal) {
      const id = ++lastId;
      return new Promise<JobResult>((resolve, reject) => {
        const onAbort = (): void => {
          settle(id);
          send({ type: 'cancel', id });
          reject(new CairnError('cancelled', 'The call was cancelled.', { cause: signal?.reason }));
          events.onAnswer(jobs.size);
        };
        const release = (): void => signal?.removeEventListener('abort', onAbort);
        jobs.set(id, {
          resolve: (result) => {
            release();
            resolve(result);
          },
          reject: (error) => {
            release();
            reject(error);
          },
        });
        signal?.addEventListener('abort', onAbort, { once: true });
        worker.ref();
        send({ type: 'embed', id, texts, priority });
      });
    },
    get waiting() {
      return jobs.size;
    },
    async close(reason) {
      end(reason);
      await worker.terminate();
    },
  };
}
