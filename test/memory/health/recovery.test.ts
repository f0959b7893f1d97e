import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/memory/health/backups.ts';
import { acknowledgeRecovered, diagnose } from '../../../src/memory/health/doctor.ts';
import { listMemoryBackups, restoreMemory } from '../../../src/memory/health/restore.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { useHarness } from '../exchange/folder.ts';
import type { MemoryHarness } from '../support/harness.ts';

const start = useHarness();

const note = (n: number): string =>
  `Note ${n}: the module src/part${n}.ts needs option --level=${n} since release 1.${n}, says log ${n}.`;

async function fill(harness: MemoryHarness, count: number, from = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let n = from; n < from + count; n++) {
    harness.clock.advance(1_000);
    const { id } = await remember(harness.runtime, harness.context, { door: 'hooks', content: note(n) });
    ids.push(id ?? '');
  }
  return ids;
}

const look = (harness: MemoryHarness) => harness.runtime.forRead(harness.context, {});
const storeOf = (harness: MemoryHarness): string => join(harness.project, '.cairn', 'memory.db');

async function ids(harness: MemoryHarness): Promise<string[]> {
  const { memory } = await look(harness);
  return (
    memory?.store.db
      .all<{ id: string }>('SELECT i.id FROM entry e JOIN entry_identity i ON i.key = e.key ORDER BY i.id')
      .map(({ id }) => id) ?? []
  );
}

/** A store of 60 entries, closed, with a backup of the first 50. */
async function closedStore(): Promise<{ harness: MemoryHarness; all: string[] }> {
  const harness = start();
  const all = await fill(harness, 50);
  const { memory } = await harness.runtime.forWrite(harness.context, {});
  await backUp(harness.runtime, memory, 'manual');
  all.push(...(await fill(harness, 10, 50)));
  await harness.close();
  return { harness, all: all.sort() };
}

describe('a damaged store', () => {
  it.each([
    ['1 KB of noise in the middle', (path: string) => spoilTable(path, 'entry')],
    ['1 KB of noise in the texts', (path: string) => spoilTable(path, 'revision')],
    ['cut at a random byte', (path: string) => truncateSync(path, Math.floor(statSync(path).size * 0.7))],
    ['emptied', (path: string) => truncateSync(path, 0)],
  ])('M106 %s is recovered, reported until acknowledged, and the original kept', async (_, damage) => {
    const { harness, all } = await closedStore();
    damage(storeOf(harness));
    const next = harness.another();
    // Damage that shows at the first use is answered as damage once; never as an empty store.
    const met = await recall(next.runtime, next.context, { door: 'hooks', text: note(7) });
    if (met.status === 'unavailable') expect(met.code).toBe('store_damaged');
    else expect(met.results.length).toBeGreaterThan(0);
    const scope = await look(next);
    const found = await ids(next);
    // The backup has the first 50; of the last ten what can be read.
    expect(found.length).toBeGreaterThanOrEqual(50);
    for (const id of found) expect(all).toContain(id);
    const { recovered } = scope.report;
    expect(recovered).toBeDefined();
    expect((recovered?.salvaged ?? 0) + (recovered?.from_backup ?? 0)).toBe(found.length);
    expect(existsSync(recovered?.quarantined_path ?? '')).toBe(true);
    // What is there is searchable, and consistent with its log.
    const answer = await recall(next.runtime, next.context, { door: 'hooks', text: note(7) });
    expect(answer.results[0]).toMatchObject({ content: note(7), score: 1 });
    const diagnosis = await diagnose(next.runtime, next.context, {});
    expect(diagnosis.checks.filter(({ state }) => state === 'fault')).toEqual([]);
    expect(diagnosis.checks.find(({ name }) => name === 'recovered')?.state).toBe('warn');
    await acknowledgeRecovered(next.runtime, next.context, {});
    expect((await look(next)).report.recovered).toBeUndefined();
    // It can be written to as before.
    expect(await remember(next.runtime, next.context, { door: 'hooks', content: note(99) })).toMatchObject({
      status: 'stored',
    });
    await next.close();
  });

  it('M106 of which too little can be saved is store_damaged with the restore command, and never empty', async () => {
    const harness = start();
    await fill(harness, 30);
    await harness.close();
    writeFileSync(storeOf(harness), Buffer.alloc(40_000, 7));
    const next = harness.another();
    const answer = await recall(next.runtime, next.context, { door: 'hooks', text: note(1) });
    expect(answer).toMatchObject({
      status: 'unavailable',
      code: 'store_damaged',
      repair: { command: 'cairn memory restore' },
    });
    expect(readdirSync(join(harness.project, '.cairn', 'quarantine')).length).toBeGreaterThan(0);
    const diagnosis = await diagnose(next.runtime, next.context, {});
    expect(diagnosis.ok).toBe(false);
    expect(diagnosis.checks[0]).toMatchObject({ state: 'fault', fix: 'cairn memory restore' });
    await next.close();
  });

  it('keeps the number of entries beside the store, so that damage can be measured', async () => {
    const harness = start();
    await fill(harness, 4);
    await harness.close();
    const { entries } = JSON.parse(readFileSync(join(harness.project, '.cairn', 'store.json'), 'utf8')) as {
      entries: number;
    };
    expect(entries).toBe(4);
  });
});

describe('restoring a backup', () => {
  it('M58 verifies it, backs the present state up first, and gives ids and scores as then', async () => {
    const harness = start();
    const before = await fill(harness, 5);
    const query = { door: 'hooks', text: 'module part3 needs which level' } as const;
    const then = await recall(harness.runtime, harness.context, query);
    const { memory } = await harness.runtime.forWrite(harness.context, {});
    const backup = await backUp(harness.runtime, memory, 'manual');
    const other = harness.another();
    await fill(harness, 5, 20);
    expect(await ids(other)).toHaveLength(10);

    const answer = await restoreMemory(harness.runtime, harness.context, { backup: backup?.path });
    expect(answer).toMatchObject({ entries: 5, before: { reason: 'restore' } });
    // Also for a program that had the store open all the time.
    for (const one of [harness, other]) expect(await ids(one)).toEqual(before.sort());
    const now = await recall(harness.runtime, harness.context, query);
    expect(now.results.map(({ id, score }) => [id, score])).toEqual(then.results.map(({ id, score }) => [id, score]));
    const { backups } = await listMemoryBackups(harness.runtime, harness.context, {});
    expect(backups.map(({ reason }) => reason)).toContain('restore');

    // And back again: nothing was lost by restoring.
    await restoreMemory(harness.runtime, harness.context, { backup: answer.before?.path });
    expect(await ids(harness)).toHaveLength(10);
    await other.close();
  });

  it('M58 refuses a damaged backup and changes nothing; works for a damaged store', async () => {
    const { harness } = await closedStore();
    const next = harness.another();
    const { backups } = await listMemoryBackups(next.runtime, next.context, {});
    writeFileSync(storeOf(harness), Buffer.alloc(40_000, 7));
    const [good] = backups;
    const bad = `${good?.path.slice(0, -'manual.db'.length)}daily.db`;
    writeFileSync(bad, Buffer.alloc(40_000, 7));
    await expect(restoreMemory(next.runtime, next.context, { backup: bad })).rejects.toMatchObject({
      code: 'store_damaged',
    });
    await expect(restoreMemory(next.runtime, next.context, { backup: '/etc/passwd' })).rejects.toMatchObject({
      code: 'not_found',
    });
    const answer = await restoreMemory(next.runtime, next.context, { backup: good?.path });
    expect(answer.entries).toBe(50);
    expect(existsSync(answer.quarantined_path ?? '')).toBe(true);
    expect(await ids(next)).toHaveLength(50);
    await next.close();
  });
});

/** Noise over the first page of a table, which lies somewhere in the middle of the file. */
function spoilTable(path: string, table: string): void {
  const { DatabaseSync } = createRequire(import.meta.url)(
    '@photostructure/sqlite',
  ) as typeof import('@photostructure/sqlite');
  const db = new DatabaseSync(path, { readOnly: true });
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number;
  };
  db.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  overwrite(path, (rootpage - 1) * 8192);
}

function overwrite(path: string, at: number): void {
  const file = openSync(path, 'r+');
  try {
    const noise = Buffer.from(Array.from({ length: 1024 }, (_, i) => (i * 89 + 41) % 251));
    writeSync(file, noise, 0, noise.length, at);
  } finally {
    closeSync(file);
  }
}
