/**
 * Runs benchmarks one after the other, each in a process of its own: `npm run bench`, `npm run bench -- name …`. With
 * `--small` each takes seconds and only shows that it works. Exits with 1 when one fails.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './support/folders.ts';

const names = readdirSync(join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0 || options.some((option) => option !== '--small')) {
  console.error(`Usage: npm run bench -- [--small] [name …]\nNames: ${names.join(', ')}`);
  process.exit(2);
}

const failed = (asked.length > 0 ? asked : names).filter((name) => {
  const program = ['--import', 'tsx', join('bench', `${name}.ts`), ...options];
  return spawnSync(process.execPath, program, { cwd: ROOT, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
