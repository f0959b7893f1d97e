import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { builtProgram } from '../support/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a benchmark at its smallest and gives the figures that it wrote. */
async function runSmall<T>(name: string): Promise<T> {
  builtProgram();
  await promisify(execFile)(process.execPath, ['--import', 'tsx', `bench/${name}.ts`, '--small'], { cwd: ROOT });
  const { figures } = JSON.parse(readFileSync(join(ROOT, '.cache/bench/small', `${name}.json`), 'utf8')) as {
    figures: T;
  };
  return figures;
}

interface Durability {
  readonly kills: {
    readonly acknowledged: number;
    readonly missing: number;
    readonly integrityFaults: number;
    readonly emptyStarts: number;
  };
  readonly writing: { readonly acknowledged: number; readonly kept: number; readonly errors: number };
}

it('M102, M104 lose nothing that was acknowledged, killed or many at once', async () => {
  const { kills, writing } = await runSmall<Durability>('durability');
  expect(kills.acknowledged).toBeGreaterThan(0);
  expect(kills).toMatchObject({ missing: 0, integrityFaults: 0, emptyStarts: 0 });
  expect(writing).toMatchObject({ acknowledged: 40, kept: 40, errors: 0 });
}, 120_000);

interface Latency {
  readonly 1000: {
    readonly recall: readonly number[];
    readonly remember: readonly number[];
    readonly idleMb: number;
    readonly modelMb: number;
  };
}

it('M109 measures calls and memory on a filled store, within five times the limits', async () => {
  const { 1000: store } = await runSmall<Latency>('latency');
  const median = (samples: readonly number[]): number =>
    [...samples].sort((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
  expect(median(store.recall)).toBeLessThan(5 * 10);
  expect(median(store.remember)).toBeLessThan(5 * 20);
  expect(store.idleMb).toBeLessThan(5 * 80);
  expect(store.modelMb).toBeLessThan(5 * 140);
}, 120_000);
