import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { createHarness, type HarnessOptions, type MemoryHarness } from '../support/harness.ts';

/** Harnesses in temporary folders that go after each test. */
export function useHarness(): (options?: Partial<HarnessOptions> & { folder?: string }) => MemoryHarness {
  const folders: string[] = [];
  const open: MemoryHarness[] = [];
  afterEach(async () => {
    for (const harness of open.splice(0)) await harness.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return ({ folder, ...options } = {}) => {
    const place = folder ?? mkdtempSync(join(tmpdir(), 'cairn-exchange-'));
    if (folder === undefined) folders.push(place);
    const harness = createHarness(place, options);
    open.push(harness);
    return harness;
  };
}
