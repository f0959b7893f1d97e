/**
 * The embedding worker: a build entry of its own, started by `createMiniLmEmbedder`. It loads the model, then runs one
 * pass after another and looks at its messages between them. It prints nothing and starts nothing.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isCairnError } from '../kernel/index.ts';
import { loadModel, type Model } from './model/load-model.ts';
import { createJobQueue } from './worker/job-queue.ts';
import type { Failure, FromWorker, ToWorker, WorkerInput } from './worker/messages.ts';

function toFailure(error: unknown): Failure {
  if (isCairnError(error)) return { code: error.code, message: error.message };
  return {
    code: 'embedder_failed',
    message: `The embedding worker failed: ${error instanceof Error ? error.message : String(error)}`,
  };
}

function run(port: NonNullable<typeof parentPort>, model: Model): void {
  const post = (message: FromWorker, move: ArrayBuffer[] = []): void => port.postMessage(message, move);
  const queue = createJobQueue(model.tokenizer, model.encoder);
  let isScheduled = false;
  // An immediate lets the messages of the meantime in: a new query overtakes what is left of a batch.
  const schedule = (): void => {
    if (isScheduled || queue.isEmpty) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const done = queue.step();
      if (done !== undefined) post({ type: 'done', ...done }, [done.result.vectors.buffer as ArrayBuffer]);
      schedule();
    });
  };
  port.on('message', (message: ToWorker) => {
    if (message.type === 'cancel') queue.remove(message.id);
    else queue.add(message);
    schedule();
  });
  post({ type: 'ready' });
}

const port = parentPort;
if (port === null) throw new Error('The embedding worker is started by createMiniLmEmbedder, not by hand.');
const input = workerData as WorkerInput;
try {
  run(port, loadModel(input.location, input.cacheDirectory));
} catch (error) {
  port.postMessage({ type: 'refused', failure: toFailure(error) } satisfies FromWorker);
}
