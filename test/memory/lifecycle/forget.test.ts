import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  backupFolderOf,
  exportMemory,
  forget,
  importMemory,
  MEMORY_MIGRATIONS,
  restoreEntries,
} from '../../../src/memory/index.ts';
import { createBackup, listBackups, openStore } from '../../../src/storage/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Caller, createCaller, learning, store } from '../operations/caller.ts';

const QUERY = { text: 'login module lost its settings after restart' };

async function recalled(caller: Caller, query = QUERY): Promise<{ id: unknown; score: unknown }[]> {
  return (await caller.call('memory_recall', query)).list('findings').map(({ id, score }) => ({ id, score }));
}

/** Every file below a folder that holds the bytes. */
function filesWith(folder: string, marker: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(marker));
}

async function openMemory(caller: Caller) {
  const { memory } = await caller.runtime.forRead(caller.context, {});
  if (memory === undefined) throw new Error('there is no store');
  return memory;
}

describe('retract', () => {
  it('M44: hides an entry everywhere until a person restores it with the same id and score', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await store(caller, 'search');
    const before = await recalled(caller);
    expect(before[0]?.id).toBe(id);
    const answer = await caller.call('memory_forget', { ids: [id, 'mem_unknown'], mode: 'retract', reason: 'asked' });
    expect(answer.body).toMatchObject({ status: 'done', retracted: [id], erased: [], missing: ['mem_unknown'] });
    expect(answer.isError).toBe(false);
    expect((await recalled(caller)).map((found) => found.id)).not.toContain(id);
    expect((await caller.call('memory_get', { ids: [id] })).body).toMatchObject({ entries: [], missing: [id] });
    expect((await caller.call('memory_get', {})).body['total']).toBe(1);
    expect((await caller.call('memory_outcome', { id, verdict: 'worked' })).code).toBe('not_found');

    expect(await restoreEntries(caller.runtime, caller.context, { ids: [id, 'mem_unknown'] })).toMatchObject({
      restored: [id],
      missing: ['mem_unknown'],
    });
    expect(await recalled(caller)).toEqual(before);
    await caller.close();
  });

  it('M44: lists an unknown id in missing, without an error and without making a store', async () => {
    const caller = createCaller(temporaryFolder());
    const answer = await caller.call('memory_forget', { ids: ['mem_unknown'], mode: 'retract' });
    expect(answer.isError).toBe(false);
    expect(answer.body).toMatchObject({ status: 'nothing_to_do', missing: ['mem_unknown'] });
    expect((await caller.call('hooks_stats')).body['schema_version']).toBeUndefined();
    await caller.close();
  });

  it('can be undone for thirty days and no longer', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await caller.call('memory_forget', { ids: [id], mode: 'retract' });
    caller.clock.advance(31 * 24 * 3_600_000);
    expect(await restoreEntries(caller.runtime, caller.context, { ids: [id] })).toMatchObject({
      restored: [],
      expired: [id],
    });
    await caller.close();
  });

  it('does not bring an entry back to a place that another one has taken', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      source_path: 'docs/solutions/a.md',
    };
    const old = (await caller.call('memory_remember', { ...fix, fix: 'Use Array.from() on it first.' })).string('id');
    await caller.call('memory_forget', { ids: [old], mode: 'retract' });
    const now = (await caller.call('memory_remember', { ...fix, fix: 'Check Array.isArray() first.' })).string('id');
    expect(await restoreEntries(caller.runtime, caller.context, { ids: [old] })).toMatchObject({
      restored: [],
      occupied: [{ id: old, by: now }],
    });
    await caller.call('memory_outcome', { id: now, verdict: 'obsolete' });
    expect(await restoreEntries(caller.runtime, caller.context, { ids: [old] })).toMatchObject({ restored: [old] });
    expect((await caller.call('memory_outcome', { id: now, verdict: 'reopen' })).body['error']).toMatchObject({
      code: 'invalid_input',
      repair: { operation: 'memory_outcome', arguments: { id: old, verdict: 'obsolete' } },
    });
    await caller.close();
  });

  it('brings a closed entry back closed', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await caller.call('memory_outcome', { id, verdict: 'obsolete' });
    await caller.call('memory_forget', { ids: [id], mode: 'retract' });
    await restoreEntries(caller.runtime, caller.context, { ids: [id] });
    expect((await caller.call('memory_get', { ids: [id] })).list('entries')).toMatchObject([{ id, state: 'closed' }]);
    await caller.close();
  });

  it('M123: a retracted text is refused as forgotten, a superseded one names the newer, a closed one is reopened', async () => {
    const caller = createCaller(temporaryFolder());
    const retracted = await store(caller, 'login');
    await caller.call('memory_forget', { ids: [retracted], mode: 'retract' });
    const forgotten = await caller.call('memory_remember', learning('login'));
    expect(forgotten.body['status']).toBe('rejected');
    expect(forgotten.code).toBe('forgotten');

    const old = await store(caller, 'search');
    const newer = (await caller.call('memory_remember', { ...learning('index'), supersedes: [old] })).string('id');
    const superseded = await caller.call('memory_remember', learning('search'));
    expect(superseded.code).toBe('superseded');
    expect(JSON.stringify(superseded.body['error'])).toContain(newer);

    const closed = await store(caller, 'theme');
    await caller.call('memory_outcome', { id: closed, verdict: 'obsolete' });
    expect((await caller.call('memory_remember', learning('theme'))).body).toMatchObject({
      status: 'merged',
      id: closed,
    });
    expect((await caller.call('memory_get', { ids: [closed] })).list('entries')).toMatchObject([{ state: 'active' }]);
    await caller.close();
  });

  it('takes everything of one source document', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = async (error: string, path: string): Promise<string> =>
      (
        await caller.call('memory_remember', {
          source: 'debug',
          signal: 'verified',
          error,
          fix: 'Raise the limit in src/server.ts first.',
          source_path: path,
        })
      ).string('id');
    const first = await fix('RangeError: Maximum call stack size exceeded', 'docs/solutions/limits/stack.md');
    const second = await fix('Error: EMFILE: too many open files', 'docs/solutions/limits/stack.md');
    await fix('Error: ENOSPC: no space left on device', 'docs/solutions/limits/stack.md.old.md');
    const planned = await caller.call('memory_forget', {
      source_path: './docs/solutions/limits/stack.md',
      mode: 'retract',
      dry_run: true,
    });
    expect(planned.body).toMatchObject({ status: 'planned', retracted: [first, second] });
    expect((await caller.call('memory_get', {})).body['total']).toBe(3);
    const done = await caller.call('memory_forget', { source_path: 'docs/solutions/limits/stack.md', mode: 'retract' });
    expect(done.body['retracted']).toEqual([first, second]);
    expect((await caller.call('memory_get', {})).body['total']).toBe(1);
    await caller.close();
  });

  it('backs up before it hides more than twenty', async () => {
    const caller = createCaller(temporaryFolder());
    const ids: string[] = [];
    for (let n = 0; n < 21; n++) ids.push(await store(caller, `part${n}`));
    await caller.call('memory_forget', { ids: ids.slice(0, 20), mode: 'retract' });
    const folder = backupFolderOf(caller.runtime, await openMemory(caller));
    expect(listBackups(folder)).toEqual([]);
    await restoreEntries(caller.runtime, caller.context, { ids });
    await caller.call('memory_forget', { ids, mode: 'retract' });
    expect(listBackups(folder)).toMatchObject([{ reason: 'forget' }]);
    await caller.close();
  });
});

describe('erase', () => {
  const MARKER = 'zq7kfx93mwpv20ldtyhbnrc4se8ujgai5oqxz61vkwmfphtd9yb3clr7nse0uqj4';

  it('M114: leaves the text in no file: store, log, indexes, pending items, answers, backups', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const marked = {
      ...learning('login'),
      context: `The login module in src/login/${MARKER}.ts lost its settings after a restart ${MARKER}.`,
    };
    const stored = await caller.call('memory_remember', {
      ...marked,
      tags: [MARKER.slice(0, 40)],
      files: [`src/${MARKER}.ts`],
      event_id: 'evt-marker',
    });
    const id = stored.string('id');
    const kept = await store(caller, 'search');
    // A near-duplicate waits for a decision, the entry has outcomes, and an older revision holds the marker as well.
    const pending = await caller.call('memory_remember', { ...marked, context: `Yesterday ${marked.context}` });
    expect(pending.body['status']).toBe('near_duplicate');
    await caller.call('memory_outcome', { id, verdict: 'worked', note: `it was ${MARKER}` });
    const memory = await openMemory(caller);
    const backups = backupFolderOf(caller.runtime, memory);
    await createBackup(memory.store, 'manual', { clock: caller.clock, folder: backups });
    expect(filesWith(folder, MARKER).length).toBeGreaterThanOrEqual(2);

    const erased = await caller.call('memory_forget', { ids: [id], mode: 'erase', reason: `holds ${MARKER}` });
    expect(erased.body).toMatchObject({ status: 'done', erased: [id], backups_rewritten: 1, missing: [] });
    expect(erased.body['log_pending']).toBeUndefined();
    expect(filesWith(folder, MARKER)).toEqual([]);
    // The tag is a part of the marker and a term of its own.
    expect(filesWith(folder, MARKER.slice(0, 24))).toEqual([]);

    const again = await caller.call('memory_remember', marked);
    expect(again.code).toBe('forgotten');
    expect(
      (await caller.call('memory_remember', { ...marked, event_id: 'evt-marker' })).body['replayed'],
    ).toBeUndefined();
    expect((await caller.call('memory_get', { ids: [id, kept] })).body).toMatchObject({ missing: [id], total: 1 });
    expect(filesWith(folder, MARKER)).toEqual([]);

    const [backup] = listBackups(backups);
    const copy = await openStore({
      path: backup?.path ?? '',
      mode: 'read-only',
      clock: caller.clock,
      migrations: MEMORY_MIGRATIONS,
    });
    expect(
      copy.db.all('SELECT i.id, e.state FROM entry e JOIN entry_identity i ON i.key = e.key ORDER BY e.key'),
    ).toEqual([
      { id, state: 'erased' },
      { id: kept, state: 'active' },
    ]);
    copy.close();
    await caller.close();
    expect(filesWith(folder, MARKER)).toEqual([]);
  });

  it('M114: reaches document paths, reasons and questions: what events say, and a backup that knew only the question', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const fix = await caller.call('memory_remember', {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      fix: 'Use Array.from() on it first.',
      source_path: `docs/solutions/${MARKER}.md`,
    });
    await caller.call('memory_forget', { ids: [fix.string('id')], mode: 'retract', reason: `it names ${MARKER}` });
    const asked = await caller.call('memory_remember', {
      ...learning('login'),
      source: 'review',
      signal: 'p2',
      insight: `Settings were read before the file ${MARKER} had been merged into them.`,
    });
    const memory = await openMemory(caller);
    const backups = backupFolderOf(caller.runtime, memory);
    await createBackup(memory.store, 'manual', { clock: caller.clock, folder: backups });
    const stored = await caller.call('memory_confirm', { token: asked.string('token'), decision: 'store' });
    const ids = [fix.string('id'), stored.string('id')];
    const erased = await caller.call('memory_forget', { ids, mode: 'erase', confirm_count: 2 });
    expect(erased.body).toMatchObject({ erased: ids, backups_rewritten: 1 });
    expect(filesWith(folder, MARKER)).toEqual([]);
    await caller.close();
  });

  it('M114: is not undone by the import of an export that was made before', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const id = (
      await caller.call('memory_remember', {
        ...learning('login'),
        context: `The login module in src/${MARKER}.ts lost its settings after a restart.`,
      })
    ).string('id');
    const kept = await store(caller, 'search');
    const path = join(temporaryFolder(), 'export.jsonl');
    await exportMemory(caller.runtime, caller.context, { format: 'jsonl', path });
    expect(readFileSync(path, 'utf8')).toContain(MARKER);
    await caller.call('memory_forget', { ids: [id], mode: 'erase' });
    await importMemory(caller.runtime, caller.context, { path });
    expect(filesWith(folder, MARKER)).toEqual([]);
    expect((await caller.call('memory_get', { ids: [id, kept] })).body).toMatchObject({ missing: [id], total: 1 });
    await caller.close();
  });

  it('M114: says log_pending while a reader holds the log, and finishes with the next erase', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const id = (
      await caller.call('memory_remember', {
        ...learning('login'),
        context: `The login module in src/${MARKER}.ts lost its settings.`,
      })
    ).string('id');
    const other = await store(caller, 'search');
    const path = String((await caller.call('hooks_stats')).body['intel_path']);
    const reader = await openStore({ path, mode: 'existing', clock: caller.clock, migrations: MEMORY_MIGRATIONS });
    const rows = reader.db.iterate('SELECT key FROM revision UNION ALL SELECT seq FROM event');
    rows.next();
    const held = await caller.call('memory_forget', { ids: [id], mode: 'erase' });
    expect(held.body['log_pending']).toBe(true);
    rows.return?.();
    reader.close();
    expect((await caller.call('memory_forget', { ids: [other], mode: 'erase' })).body['log_pending']).toBeUndefined();
    expect(filesWith(dirname(path), MARKER)).toEqual([]);
    await caller.close();
  });

  it('needs the exact number to erase several, and erases nothing without it', async () => {
    const caller = createCaller(temporaryFolder());
    const ids = [await store(caller, 'login'), await store(caller, 'search')];
    for (const confirm of [{}, { confirm_count: 3 }]) {
      const refused = await caller.call('memory_forget', { ids, mode: 'erase', ...confirm });
      expect(refused.code).toBe('confirm_count_mismatch');
      expect(refused.body['error']).toMatchObject({ repair: { arguments: { ids, mode: 'erase', confirm_count: 2 } } });
    }
    expect((await caller.call('memory_get', {})).body['total']).toBe(2);
    const done = await caller.call('memory_forget', { ids, mode: 'erase', confirm_count: '2' });
    expect(done.body['erased']).toEqual(ids);
    expect((await caller.call('hooks_stats')).body).toMatchObject({
      stats: { total_memories: 0 },
      by_state: { erased: 2 },
    });
    await caller.close();
  });

  it('cannot be undone', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await forget(caller.runtime, caller.context, { ids: [id], mode: 'erase' });
    expect(await restoreEntries(caller.runtime, caller.context, { ids: [id] })).toMatchObject({
      restored: [],
      missing: [id],
    });
    expect((await caller.call('memory_forget', { ids: [id], mode: 'erase' })).body).toMatchObject({
      status: 'nothing_to_do',
      missing: [id],
    });
    await caller.close();
  });

  it('says what to forget: ids or a document, one of the two', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('memory_forget', { mode: 'retract' })).code).toBe('invalid_input');
    expect(
      (await caller.call('memory_forget', { mode: 'retract', ids: ['mem_x'], source_path: 'docs/x.md' })).code,
    ).toBe('invalid_input');
    await caller.close();
  });
});
