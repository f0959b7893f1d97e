import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface BuiltRoom {
  /** For `createMiniLmEmbedder`. */
  readonly workerPath: string;
  /** The room's door as one JavaScript file, for child processes. */
  readonly modulePath: string;
  remove(): Promise<void>;
}

/**
 * Bundles the worker as the product does, into a new temporary folder; a fraction of a second. A worker thread cannot
 * load TypeScript on every Node that is supported.
 */
export async function buildRoom(): Promise<BuiltRoom> {
  const outDir = await mkdtemp(join(tmpdir(), 'cairn-worker-'));
  await build({
    cwd: ROOT,
    config: false,
    entry: { 'embedding-worker': 'src/embedding/worker.ts', embedding: 'src/embedding/index.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    dts: false,
    clean: false,
    logLevel: 'silent',
  });
  return {
    workerPath: join(outDir, 'embedding-worker.mjs'),
    modulePath: join(outDir, 'embedding.mjs'),
    remove: () => rm(outDir, { recursive: true, force: true }),
  };
}
