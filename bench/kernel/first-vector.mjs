// A process of its own: spawns one embedding worker, waits for its first vector, prints milliseconds and megabytes.
import { Worker } from 'node:worker_threads';

const { worker: path, workerData, message } = JSON.parse(process.argv[2]);
const before = process.memoryUsage().rss;
const start = performance.now();
const worker = new Worker(path, { workerData });
worker.postMessage(message);
worker.on('message', (answer) => {
  if (answer.id !== message.id) return;
  const milliseconds = performance.now() - start;
  console.log(JSON.stringify({ milliseconds, megabytes: (process.memoryUsage().rss - before) / 1e6 }));
  process.exit(0);
});
