import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cli.js');
const INPUTS = ['src', 'packages', 'package.json', 'tsconfig.json', 'tsdown.config.ts'];
const LOCK = join(ROOT, 'node_modules/.cairn-build-lock');
const LOCK_AGE_MS = 120_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no current `dist/`; empty when there is one. */
    buildFailure: string;
  }
}

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const children = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
  return Math.max(0, ...children.map((name) => newest(join(path, name))));
}

function isCurrent(): boolean {
  if (!existsSync(PROGRAM)) return false;
  const built = statSync(PROGRAM).mtimeMs;
  return INPUTS.map((name) => join(ROOT, name)).every((path) => !existsSync(path) || newest(path) <= built);
}

/** Holds the build lock, a folder, while `body` runs; two runs in one checkout build one after the other. */
async function withBuildLock(body: () => void): Promise<void> {
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_AGE_MS) rmSync(LOCK, { recursive: true, force: true });
      await sleep(100);
    }
  }
  try {
    body();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

function build(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  if (scripts?.['build'] === undefined) return 'package.json has no build script';
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `npm run build failed:\n${stdout ?? ''}${stderr ?? ''}`;
  }
  return existsSync(PROGRAM) ? '' : 'npm run build left no dist/cli.js';
}

/**
 * Builds `dist/` once before the tests when a source is newer than it. A failed build fails the tests that start the
 * real program (`test/support/program.ts`) and leaves the others alone.
 */
export default async function setup(project: TestProject): Promise<void> {
  let failure = '';
  await withBuildLock(() => {
    if (!isCurrent()) failure = build();
  });
  project.provide('buildFailure', failure);
}
