import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles the worker as the product does, into a new folder under the (ignored) cache; a fraction of a second. */
export async function buildWorker(): Promise<string> {
  const outDir = await mkdtemp(join(ROOT, 'node_modules/.cache-worker-'));
  await build({
    cwd: ROOT,
    config: false,
    entry: { 'embedding-worker': 'src/embedding/worker.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    dts: false,
    clean: false,
    logLevel: 'silent',
  });
  return join(outDir, 'embedding-worker.mjs');
}
