import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, writeTree } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HEAD = "import { expect, it } from 'vitest';\n";
const PASSING = `${HEAD}it('adds', () => expect(1 + 1).toBe(2));\n`;

/** Runs the test runner over these files with the repository's reporter; gives its last line and exit code. */
function runTests(files: Readonly<Record<string, string>>): {
  readonly lastLine: string | undefined;
  readonly code: number | null;
} {
  const folder = temporaryFolder();
  writeTree(folder, files);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const reporter = join(ROOT, 'test/support/summary-reporter.ts');
  const argv = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', reporter];
  const { stdout, status } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8', timeout: 90_000 });
  return { lastLine: stdout.trimEnd().split('\n').at(-1), code: status };
}

describe('the last line of a test run', { timeout: 100_000 }, () => {
  it('counts what passed', () => {
    expect(runTests({ 'a.test.ts': PASSING, 'b.test.ts': PASSING })).toEqual({
      lastLine: '2 passed, 0 failed',
      code: 0,
    });
  });

  it('counts a failing test, and a file that cannot be loaded, as failures', () => {
    const files = {
      'a.test.ts': PASSING,
      'b.test.ts': `${HEAD}it('fails', () => expect(1).toBe(2));\n`,
      'c.test.ts': "throw new Error('cannot load');\n",
    };
    expect(runTests(files)).toEqual({ lastLine: '1 passed, 2 failed', code: 1 });
  });

  it('fails when no test passed', () => {
    const skipped = `${HEAD}it('waits', (context) => context.skip(true, 'nothing to wait for'));\n`;
    expect(runTests({ 'a.test.ts': skipped })).toEqual({ lastLine: '0 passed, 0 failed', code: 1 });
  });
});
