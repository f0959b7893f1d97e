import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, absolute and without links, that is removed when the running test ends. */
export function temporaryFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-test-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

/** Writes files under `root`, making folders as needed; keys are relative paths. */
export function writeTree(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
