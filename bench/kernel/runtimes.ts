import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { location } from 'cairn-minilm';
import { CACHE, ROOT } from '../support/folders.ts';

export const ONNX_VERSION = '1.30.0';
const DIMENSION = 384;

/** A way to embed in a worker thread. */
export interface Runtime {
  readonly label: string;
  readonly worker: string;
  readonly workerData: Readonly<Record<string, unknown>>;
}

/** A running one. */
export interface RunningRuntime {
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The built worker of this package; needs `npm run build`. `cacheDirectory` remembers the check of the weights. */
export function ownRuntime(cacheDirectory: string): Runtime {
  const worker = join(ROOT, 'dist/embedding-worker.cjs');
  if (!existsSync(worker)) throw new Error('dist/embedding-worker.cjs is not there; run `npm run build` first.');
  return { label: 'cairn', worker, workerData: { location, cacheDirectory } };
}

/** Installs both ONNX runtimes into the cache, once, without their install scripts (one of them downloads CUDA). */
export function installOnnx(log: (line: string) => void): string {
  const folder = join(CACHE, `onnxruntime-${ONNX_VERSION}`);
  if (existsSync(join(folder, 'node_modules/onnxruntime-node/package.json'))) return folder;
  log(`installing onnxruntime-web and onnxruntime-node ${ONNX_VERSION}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const packages = [`onnxruntime-web@${ONNX_VERSION}`, `onnxruntime-node@${ONNX_VERSION}`];
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages], {
    cwd: folder,
    stdio: 'pipe',
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
  return folder;
}

/** One of the two runtimes with a model file, one thread. */
export function onnxRuntime(folder: string, kind: 'web' | 'node', model: string, tokenizer: string): Runtime {
  const entry =
    kind === 'web'
      ? pathToFileURL(join(folder, 'node_modules/onnxruntime-web/dist/ort.node.min.mjs')).href
      : pathToFileURL(createRequire(join(folder, 'package.json')).resolve('onnxruntime-node')).href;
  const tokenizers = import.meta.resolve('@huggingface/tokenizers');
  const worker = fileURLToPath(new URL('onnx-worker.mjs', import.meta.url));
  return { label: `onnxruntime-${kind}`, worker, workerData: { runtime: entry, model, tokenizers, tokenizer } };
}

function toMessage(id: number, texts: readonly string[]): object {
  return { type: 'embed', id, texts, priority: 'query' };
}

interface Answer {
  readonly type?: string;
  readonly id?: number;
  readonly result?: { readonly vectors: Float32Array };
  readonly vectors?: Float32Array[];
  readonly failure?: { readonly message: string };
}

function vectorsOf({ result, vectors }: Answer): Float32Array[] {
  if (vectors !== undefined) return vectors;
  const joined = result?.vectors ?? new Float32Array();
  return Array.from({ length: joined.length / DIMENSION }, (_, i) => joined.slice(i * DIMENSION, (i + 1) * DIMENSION));
}

export function startRuntime({ worker: path, workerData }: Runtime): RunningRuntime {
  const worker = new Worker(path, { workerData, execArgv: [] });
  let lastId = 0;
  return {
    embed(texts) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const onMessage = (answer: Answer): void => {
          if (answer.type === 'refused') reject(new Error(answer.failure?.message));
          if (answer.id !== id) return;
          worker.off('message', onMessage);
          worker.off('error', reject);
          resolve(vectorsOf(answer));
        };
        worker.on('message', onMessage);
        worker.once('error', reject);
        worker.postMessage(toMessage(id, texts));
      });
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

export interface FirstVector {
  readonly milliseconds: number;
  /** Growth of the process, 10^6 bytes. */
  readonly megabytes: number;
}

/** Spawns the worker in a fresh process and waits for the first vector of a short text. */
export async function firstVector({ worker, workerData }: Runtime): Promise<FirstVector> {
  const script = fileURLToPath(new URL('first-vector.mjs', import.meta.url));
  const task = JSON.stringify({ worker, workerData, message: toMessage(1, ['This is an example sentence']) });
  const { stdout } = await promisify(execFile)(process.execPath, [script, task]);
  return JSON.parse(stdout) as FirstVector;
}
