import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/index.ts';
import { importMemory } from '../../../src/memory/exchange/import.ts';
import { takeInOldFile } from '../../../src/memory/exchange/old-file.ts';
import { isImporting } from '../../../src/memory/exchange/old-file-state.ts';
import { startBackground } from '../../../src/memory/health/background.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import type { MemoryHarness } from '../support/harness.ts';
import { useHarness } from './folder.ts';

const start = useHarness();
const note = (topic: string): string =>
  `The ${topic} failed in src/${topic}.ts because its cache was stale; clear it first.`;

function putOldFile(harness: MemoryHarness, folder: string, topics: readonly string[]): string {
  mkdirSync(join(harness.project, folder), { recursive: true });
  const path = join(harness.project, folder, 'intelligence.json');
  writeFileSync(
    path,
    JSON.stringify({ memories: topics.map((topic) => ({ content: note(topic), created: '2025-01-01T00:00:00Z' })) }),
  );
  return path;
}

const look = (harness: MemoryHarness) => harness.runtime.forRead(harness.context, {});
const count = async (harness: MemoryHarness): Promise<number> =>
  (await look(harness)).memory?.store.db.get<{ n: number }>("SELECT COUNT(*) AS n FROM entry WHERE state = 'active'")
    ?.n ?? 0;

describe('an intelligence.json beside the store', () => {
  it('M51 is taken in in the background after the first call, in place, and stays byte-equal', async () => {
    const harness = start();
    const path = putOldFile(harness, '.ruvector', ['alpha', 'beta']);
    const before = readFileSync(path);
    const background = startBackground(harness.runtime);
    const first = await look(harness);
    expect(first.report.store_path).toBe(join(harness.project, '.ruvector', 'memory.db'));
    expect(first.memory).toBeUndefined();
    expect(isImporting(harness.runtime, first)).toBe(true);
    const early = await recall(harness.runtime, harness.context, { door: 'hooks', text: 'alpha cache stale' });
    expect(early).toMatchObject({ status: 'degraded', degraded: { reason: 'importing' } });
    await background.runNow();
    expect(isImporting(harness.runtime, await look(harness))).toBe(false);
    expect(await count(harness)).toBe(2);
    const late = await recall(harness.runtime, harness.context, { door: 'hooks', text: note('alpha') });
    expect(late.degraded?.reason).not.toBe('importing');
    expect(late.results[0]).toMatchObject({ content: note('alpha'), score: 1 });
    expect(readFileSync(path).equals(before)).toBe(true);
    await background.stop();
  });

  it('M51 is not used where .cairn is there as well: the other folder is named, and can be imported', async () => {
    const harness = start();
    const path = putOldFile(harness, '.ruvector', ['gamma']);
    mkdirSync(join(harness.project, '.cairn'));
    const scope = await look(harness);
    expect(scope.report.store_path).toBe(join(harness.project, '.cairn', 'memory.db'));
    expect(scope.report.shadowed?.map((folder) => folder.path)).toEqual([join(harness.project, '.ruvector')]);
    expect(isImporting(harness.runtime, scope)).toBe(false);
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toBeUndefined();
    expect(existsSync(join(harness.project, '.cairn', 'memory.db'))).toBe(false);
    expect(await importMemory(harness.runtime, harness.context, { path })).toMatchObject({ imported: 1 });
  });

  it('M61 is taken in once for each content', async () => {
    const harness = start();
    putOldFile(harness, '.ruvector', ['alpha']);
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toMatchObject({ imported: 1 });
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toBeUndefined();
    putOldFile(harness, '.ruvector', ['alpha', 'beta']);
    expect(isImporting(harness.runtime, await look(harness))).toBe(true);
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toMatchObject({ imported: 1, merged: 1 });
    // Content that was taken in before is known by its hash, whatever its time says.
    putOldFile(harness, '.ruvector', ['alpha']);
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toBeUndefined();
    expect(isImporting(harness.runtime, await look(harness))).toBe(false);
  });

  it('is left alone by a program that may only read', async () => {
    const harness = start({ readOnly: true });
    putOldFile(harness, '.ruvector', ['alpha']);
    expect(isImporting(harness.runtime, await look(harness))).toBe(false);
    const background = startBackground(harness.runtime);
    await look(harness);
    await background.runNow();
    expect(existsSync(join(harness.project, '.ruvector', 'memory.db'))).toBe(false);
    await background.stop();
  });

  it('does not make recall say importing for good when nothing of it can be used', async () => {
    const harness = start();
    mkdirSync(join(harness.project, '.ruvector'));
    writeFileSync(join(harness.project, '.ruvector', 'intelligence.json'), '[broken');
    expect(await takeInOldFile(harness.runtime, harness.context, {})).toMatchObject({ imported: 0 });
    expect(isImporting(harness.runtime, await look(harness))).toBe(false);
  });
});

describe('a large import', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function bigFile(harness: MemoryHarness, items: number, dimension: number): string {
    const embedding = Array.from({ length: dimension }, (_, i) => Math.sin(i) / 20);
    const memories = Array.from({ length: items }, (_, i) => ({
      id: `mem_${i}`,
      memory_type: 'context',
      content: `Entry ${i}: the handler in src/module${i % 97}/file${i}.ts returned status ${i % 600} because option --limit=${i} was read before the config of service${i % 31} had loaded; load it first and run the check again.`,
      embedding,
      timestamp: 1_700_000_000 + i,
    }));
    const path = join(harness.project, 'big.json');
    writeFileSync(path, JSON.stringify({ memories }));
    return path;
  }

  it('7.11 takes thousands of old entries while reads stay up', async () => {
    const harness = start({ clock: systemClock as never });
    const path = bigFile(harness, 3_000, 384);
    const other = harness.another();
    let longest = 0;
    let reads = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      other.runtime.forRead(other.context, {}).then(({ memory }) => {
        memory?.store.db.get('SELECT COUNT(*) AS n FROM entry');
        reads += 1;
      });
    }, 5);
    const startedAt = performance.now();
    const report = await importMemory(harness.runtime, harness.context, { path });
    const tookMs = performance.now() - startedAt;
    clearInterval(timer);
    expect(report).toMatchObject({ imported: 3_000, rejectedCount: 0 });
    expect(reads).toBeGreaterThan(10);
    // 10 s for 10,000 is the promise.
    expect(tookMs).toBeLessThan(30_000);
    // 50 ms is the promise; one transaction for all would be seconds.
    expect(longest).toBeLessThan(1_000);
    await other.close();
  }, 120_000);

  it('7.11 M46 goes on after a kill, without losing or doubling anything', async () => {
    const harness = start();
    const path = bigFile(harness, 1_500, 8);
    const folder = mkdtempSync(join(tmpdir(), 'cairn-kill-'));
    folders.push(folder);
    const child = fork(new URL('./import-child.ts', import.meta.url), [join(harness.project, '..'), path], {
      execArgv: ['--import', 'tsx'],
      silent: true,
    });
    const killedAt = await new Promise<number>((resolve, reject) => {
      let errors = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        errors += chunk.toString();
      });
      child.on('message', (entries) => {
        child.kill('SIGKILL');
        resolve(Number(entries));
      });
      child.on('exit', (code) => reject(new Error(`the child ended by itself (${code}): ${errors}`)));
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = await count(harness);
    expect(killedAt).toBeGreaterThan(0);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(1_500);
    // The lease of the dead process runs out.
    harness.clock.advance(Date.now() - harness.clock.now() + 60_000);
    const report = await importMemory(harness.runtime, harness.context, { path });
    expect(report.imported + report.merged).toBe(1_500);
    expect(report.merged).toBe(before);
    expect(await count(harness)).toBe(1_500);
    const doubled = (await look(harness)).memory?.store.db.get(
      'SELECT 1 FROM provenance GROUP BY entry_key HAVING COUNT(*) > 1',
    );
    expect(doubled).toBeUndefined();
  }, 60_000);
});
