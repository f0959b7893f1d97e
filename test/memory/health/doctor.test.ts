import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { backUp } from '../../../src/memory/health/backups.ts';
import { diagnose, rebuildDerived } from '../../../src/memory/health/doctor.ts';
import { listMemoryBackups } from '../../../src/memory/health/restore.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import type { Database } from '../../../src/storage/index.ts';
import { useHarness } from '../exchange/folder.ts';
import type { MemoryHarness } from '../support/harness.ts';

const start = useHarness();

async function fill(harness: MemoryHarness, count = 3): Promise<void> {
  for (let n = 0; n < count; n++) {
    const content = `Note ${n}: the module src/part${n}.ts needs option --level=${n} since release 1.${n}.`;
    await remember(harness.runtime, harness.context, { door: 'hooks', content });
  }
}

async function change(harness: MemoryHarness, body: (db: Database) => void): Promise<void> {
  const { memory } = await harness.runtime.forWrite(harness.context, {});
  await memory.store.write(body);
}

const look = (harness: MemoryHarness) => diagnose(harness.runtime, harness.context, {});

/** Names of the checks that are not ok. */
async function findings(harness: MemoryHarness): Promise<Record<string, string>> {
  const { checks } = await look(harness);
  return Object.fromEntries(checks.filter(({ state }) => state !== 'ok').map(({ name, state }) => [name, state]));
}

describe('diagnose', () => {
  it('finds nothing wrong with a sound store, and changes nothing', async () => {
    const harness = start();
    await fill(harness);
    const { memory } = await harness.runtime.forWrite(harness.context, {});
    await backUp(harness.runtime, memory, 'manual');
    const changes = memory.store.db.get('SELECT total_changes() AS n, (SELECT COUNT(*) FROM event) AS events');
    const files = readdirSync(join(harness.project, '.cairn')).sort();
    const { ok, checks } = await look(harness);
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual([
      'project',
      'permissions',
      'integrity',
      'log',
      'entries',
      'derived',
      'vectors',
      'queues',
      'old_rows',
      'backups',
    ]);
    expect(memory.store.db.get('SELECT total_changes() AS n, (SELECT COUNT(*) FROM event) AS events')).toEqual(changes);
    expect(readdirSync(join(harness.project, '.cairn')).sort()).toEqual(files);
  });

  it('says of an empty project that nothing is there, and makes nothing', async () => {
    const harness = start();
    expect(await look(harness)).toMatchObject({ ok: true });
    expect(readdirSync(harness.project)).toEqual([]);
  });

  const FAULTS: [name: string, state: string, spoil: (harness: MemoryHarness) => Promise<void>][] = [
    ['log', 'fault', (harness) => change(harness, (db) => db.run("UPDATE event SET actor = 'somebody' WHERE seq = 2"))],
    ['log', 'fault', (harness) => change(harness, (db) => db.run('DELETE FROM event WHERE seq = 2'))],
    ['log', 'fault', (harness) => change(harness, (db) => db.run('DELETE FROM event WHERE seq = 3'))],
    ['derived', 'fault', (harness) => change(harness, (db) => db.run("UPDATE entry SET type = 'code' WHERE key = 1"))],
    ['derived', 'fault', (harness) => change(harness, (db) => db.run('DELETE FROM entry_fts WHERE rowid = 2'))],
    ['vectors', 'warn', (harness) => change(harness, (db) => db.run('DELETE FROM vector WHERE key = 1'))],
    ['permissions', 'warn', async (harness) => chmodSync(join(harness.project, '.cairn', 'memory.db'), 0o644)],
    [
      'old_rows',
      'fault',
      (harness) =>
        change(harness, (db) =>
          db.run('UPDATE revision SET text = text || ? WHERE key = 1', [` ghp_${'a1B2'.repeat(9)}`]),
        ),
    ],
    [
      'old_rows',
      'warn',
      (harness) => change(harness, (db) => db.run('UPDATE revision SET text = text || char(8238) WHERE key = 1')),
    ],
    [
      'lease',
      'warn',
      (harness) =>
        change(harness, (db) =>
          db.run("INSERT INTO lease VALUES ('embed', 'x', 999999, ?, ?)", [hostname(), harness.clock.now() + 10_000]),
        ),
    ],
    [
      'shadowed',
      'warn',
      async (harness) => {
        mkdirSync(join(harness.project, '.ruvector'));
      },
    ],
    [
      'quarantined',
      'warn',
      (harness) => change(harness, (db) => db.run("UPDATE entry SET state = 'quarantined' WHERE key = 1")),
    ],
    [
      'importing',
      'warn',
      async (harness) => writeFileSync(join(harness.project, '.cairn', 'intelligence.json'), '{"memories":[]}'),
    ],
    [
      'backups',
      'fault',
      async (harness) => {
        const { memory } = await harness.runtime.forWrite(harness.context, {});
        const backup = await backUp(harness.runtime, memory, 'manual');
        writeFileSync(backup?.path ?? '', readFileSync(backup?.path ?? '').subarray(0, 9_000));
      },
    ],
    [
      'entries',
      'fault',
      async (harness) => {
        const path = join(harness.project, '.cairn', 'store.json');
        const file = JSON.parse(readFileSync(path, 'utf8')) as object;
        writeFileSync(path, JSON.stringify({ ...file, entries: 100 }));
      },
    ],
  ];

  it.each(FAULTS)('names %s as %s, with what to do about it', async (name, state, spoil) => {
    const harness = start();
    await fill(harness);
    await spoil(harness);
    const diagnosis = await look(harness);
    const check = diagnosis.checks.find((one) => one.name === name && one.state !== 'ok');
    expect(check).toMatchObject({ state });
    if (name !== 'lease') expect(check?.fix).toBeDefined();
    expect(diagnosis.ok).toBe(diagnosis.checks.every((one) => one.state !== 'fault'));
    if (state === 'fault') expect(diagnosis.ok).toBe(false);
  });

  it('M66 says that weights are missing', async () => {
    const harness = start({ embedder: createFakeEmbedder({ behaviour: 'missing' }) });
    await fill(harness);
    expect(await findings(harness)).toMatchObject({ vectors: 'fault' });
  });

  it('says no_project where there is none', async () => {
    const harness = start();
    const context = { ...harness.context, workingDirectory: harness.home };
    const { ok, checks } = await diagnose(harness.runtime, context, {});
    expect(ok).toBe(false);
    expect(checks).toMatchObject([{ name: 'project', state: 'fault' }]);
  });
});

describe('rebuildDerived', () => {
  it('mends the search tables and keeps the vectors', async () => {
    const harness = start();
    await fill(harness);
    await change(harness, (db) => db.run('DELETE FROM entry_fts WHERE rowid = 2'));
    expect(await findings(harness)).toMatchObject({ derived: 'fault' });
    expect(await rebuildDerived(harness.runtime, harness.context, {})).toMatchObject({ events: 3, nearChecks: 0 });
    expect(await findings(harness)).not.toHaveProperty('derived');
    const { memory } = await harness.runtime.forRead(harness.context, {});
    expect(memory?.store.db.get('SELECT COUNT(*) AS n FROM vector')).toEqual({ n: 3 });
  });

  it('makes no store by trying', async () => {
    const harness = start();
    await expect(rebuildDerived(harness.runtime, harness.context, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(harness.project)).toEqual([]);
  });
});

describe('backups', () => {
  it('are private files in the user folder, and made before an import', async () => {
    const harness = start();
    await fill(harness);
    const { memory } = await harness.runtime.forWrite(harness.context, {});
    await backUp(harness.runtime, memory, 'import');
    const { folder, backups } = await listMemoryBackups(harness.runtime, harness.context, {});
    expect(folder.startsWith(join(harness.home, 'data', 'backups'))).toBe(true);
    expect(backups).toHaveLength(1);
    expect(statSync(backups[0]?.path ?? '').mode & 0o777).toBe(0o600);
  });
});
