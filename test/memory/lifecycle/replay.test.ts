import { describe, expect, it } from 'vitest';
import { restoreEntries, updateEntry } from '../../../src/memory/index.ts';
import { applyEvent } from '../../../src/memory/store/apply-event.ts';
import { findBrokenLink, readEvents } from '../../../src/memory/store/events.ts';
import type { Database } from '../../../src/storage/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createCaller, learning, store } from '../operations/caller.ts';

/** Derived tables whose rows are compared; `passage` without its key, which only grows. */
const DERIVED = {
  entry: 'SELECT * FROM entry ORDER BY key',
  entry_tag: 'SELECT * FROM entry_tag ORDER BY tag, entry_key',
  entry_file: 'SELECT * FROM entry_file ORDER BY path, entry_key',
  signature: 'SELECT * FROM signature ORDER BY key, entry_key',
  passage: 'SELECT entry_key, n, start, "end", terms, bag FROM passage ORDER BY entry_key, n',
  terms: 'SELECT * FROM entry_fts_vocab ORDER BY term',
};

function snapshot(db: Database): Record<string, unknown[]> {
  db.exec("INSERT INTO entry_fts (entry_fts) VALUES ('optimize')");
  return Object.fromEntries(Object.entries(DERIVED).map(([name, sql]) => [name, db.all(sql)]));
}

describe('the log', () => {
  it('gives equal derived tables when it is replayed after every kind of change, an erase included', async () => {
    const caller = createCaller(temporaryFolder());
    const { call, clock, runtime, context } = caller;
    const ids: Record<string, string> = {};
    for (const topic of ['login', 'search', 'theme', 'index', 'cache', 'queue']) {
      ids[topic] = await store(caller, topic);
      clock.advance(1_000);
    }
    const id = (topic: string): string => ids[topic] ?? '';
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      source_path: 'docs/solutions/a.md',
    };
    await call('memory_remember', { ...fix, fix: 'Wrap the value in Array.from() before the call.' });
    await call('memory_remember', { ...fix, fix: 'Check the value with Array.isArray() before the call.' });
    await call('memory_remember', learning('login'));
    for (const session of ['a', 'b', 'c'])
      await call('memory_outcome', { id: id('login'), verdict: 'failed', session });
    await call('memory_outcome', { id: id('search'), verdict: 'obsolete' });
    await call('memory_outcome', { id: id('search'), verdict: 'reopen' });
    await call('memory_outcome', { id: id('theme'), verdict: 'obsolete', replaced_by: id('index') });
    await call('memory_forget', { ids: [id('theme')], mode: 'retract' });
    clock.advance(1_000);
    await restoreEntries(runtime, context, { ids: [id('theme')] });
    await updateEntry(runtime, context, { id: id('queue'), type: 'code', tags: ['slow'], pinned: true });
    const prompted = await call('memory_remember', { ...learning('router'), source: 'review', signal: 'p2' });
    await call('memory_confirm', { token: prompted.string('token'), decision: 'store' });
    await updateEntry(runtime, context, {
      id: id('cache'),
      content: 'The cache in src/cache/index.ts is filled by fillCache() since version 3.',
    });
    await call('memory_outcome', { id: id('cache'), verdict: 'worked', note: 'soon gone' });
    // Two that were live twice: on a replay they are blank from the beginning and may not get in each other's way.
    for (const topic of ['cache', 'search']) {
      await call('memory_outcome', { id: id(topic), verdict: 'obsolete' });
      await call('memory_outcome', { id: id(topic), verdict: 'reopen' });
    }
    await call('memory_forget', { ids: [id('cache'), id('search')], mode: 'erase', confirm_count: 2 });

    const { memory } = await runtime.forRead(context, {});
    if (memory === undefined) throw new Error('there is no store');
    await memory.store.write((db) => {
      const live = snapshot(db);
      expect(live['entry']).toHaveLength(8);
      for (const table of ['entry', 'entry_tag', 'entry_file', 'signature', 'passage', 'vector'])
        db.run(`DELETE FROM ${table}`);
      for (const table of ['entry_fts', 'identifier_tri'])
        db.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
      for (const event of [...readEvents(db)])
        applyEvent(db, event, runtime.deps.embedder.countTokens.bind(runtime.deps.embedder));
      expect(snapshot(db)).toEqual(live);
    });
    await caller.close();
  });

  it('keeps its hash chain when an entry is erased', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await store(caller, 'search');
    await caller.call('memory_forget', { ids: [id], mode: 'erase' });
    const { memory } = await caller.runtime.forRead(caller.context, {});
    expect(memory === undefined ? 'no store' : findBrokenLink(memory.store.db)).toBeUndefined();
    await caller.close();
  });
});
