import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What benchmarks install and derive is kept here between runs; git ignores it. */
export const CACHE = join(ROOT, '.cache/bench');

const temporaryFolders: string[] = [];

function removeTemporaryFolders(): void {
  for (const path of temporaryFolders) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/** A folder that is removed when the process ends. */
export function temporaryFolder(): string {
  if (temporaryFolders.length === 0) process.once('exit', removeTemporaryFolders);
  const path = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  temporaryFolders.push(path);
  return path;
}

/**
 * A file of the data that may not be shipped: public sets under `bench/`, weights under `models/`. They are looked for
 * in `CAIRN_BENCH_DATA`, by default the folder `shared` beside the repository. `undefined` where there is none.
 */
export function externalData(path: string): string | undefined {
  const file = resolve(ROOT, process.env['CAIRN_BENCH_DATA'] ?? '../shared', path);
  return existsSync(file) ? file : undefined;
}
