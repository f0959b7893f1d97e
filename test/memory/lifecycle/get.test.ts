import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEntries } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Answer, type Body, type Caller, createCaller, FAKE_KEY, learning, store } from '../operations/caller.ts';

const list = (entry: Body | undefined, name: string): Body[] => (entry?.[name] ?? []) as Body[];
const ids = (answer: Answer): unknown[] => answer.list('entries').map(({ id }) => id);

/** All pages of a request, with what each page weighed. */
async function allPages(caller: Caller, given: Record<string, unknown>): Promise<Body[]> {
  const entries: Body[] = [];
  for (let cursor: unknown, pages = 0; pages < 200; pages++) {
    const answer = await caller.call('memory_get', { ...given, ...(cursor === undefined ? {} : { cursor }) });
    expect(answer.text.length).toBeLessThanOrEqual(24_000);
    entries.push(...answer.list('entries'));
    cursor = answer.body['next_cursor'];
    if (cursor === undefined) return entries;
  }
  throw new Error('the pages do not end');
}

describe('memory_get by filters', () => {
  it('selects by type, kind, tag, path, source, state and time, newest first', async () => {
    const caller = createCaller(temporaryFolder());
    const login = (
      await caller.call('memory_remember', { ...learning('login'), tags: ['auth'], files: ['src/login/index.ts'] })
    ).string('id');
    caller.clock.advance(60_000);
    const after = new Date(caller.clock.now()).toISOString();
    const search = (
      await caller.call('memory_remember', {
        ...learning('search'),
        source: 'review',
        signal: 'p1',
        files: ['src/login-old/a.ts'],
      })
    ).string('id');
    caller.clock.advance(60_000);
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      fix: 'Use Array.from() on it first.',
    };
    const error = (await caller.call('memory_remember', fix)).string('id');
    expect(ids(await caller.call('memory_get', {}))).toEqual([error, search, login]);
    expect(ids(await caller.call('memory_get', { order: 'oldest' }))).toEqual([login, search, error]);
    expect(ids(await caller.call('memory_get', { tag: 'auth' }))).toEqual([login]);
    expect(ids(await caller.call('memory_get', { path: './src/login/' }))).toEqual([login]);
    expect(ids(await caller.call('memory_get', { path: 'src' }))).toEqual([search, login]);
    expect(ids(await caller.call('memory_get', { source: 'review' }))).toEqual([search]);
    expect(ids(await caller.call('memory_get', { kind: 'error_fix' }))).toEqual([error]);
    expect(ids(await caller.call('memory_get', { type: 'context' }))).toEqual([error, search]);
    expect(ids(await caller.call('memory_get', { since: after }))).toEqual([error, search]);
    expect(ids(await caller.call('memory_get', { until: after }))).toEqual([login]);
    await caller.call('memory_outcome', { id: login, verdict: 'obsolete' });
    expect(ids(await caller.call('memory_get', { state: 'closed' }))).toEqual([login]);
    expect(ids(await caller.call('memory_get', { queue: 'never_recalled' }))).toEqual([error, search]);
    await caller.close();
  });

  it('refuses a date that is none, and a cursor that is none', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('memory_get', { since: 'yesterday' })).body['error']).toMatchObject({
      code: 'invalid_input',
      field: 'since',
    });
    expect((await caller.call('memory_get', { cursor: 'garbage' })).body['error']).toMatchObject({
      code: 'invalid_input',
      field: 'cursor',
    });
    await caller.close();
  });

  it('refuses arguments that would do nothing beside others', async () => {
    const caller = createCaller(temporaryFolder());
    const refused = async (given: Record<string, unknown>): Promise<unknown> =>
      ((await caller.call('memory_get', given)).body['error'] as Body | undefined)?.['field'];
    expect(await refused({ ids: ['mem_x'], tag: 'auth' })).toBe('tag');
    expect(await refused({ ids: ['mem_x'], queue: 'pending' })).toBe('queue');
    expect(await refused({ queue: 'pending', kind: 'learning' })).toBe('kind');
    expect(await refused({ queue: 'suspect', state: 'closed' })).toBe('state');
    expect(await refused({ queue: 'suspect', kind: 'learning' })).toBeUndefined();
    await caller.close();
  });

  it('answers an empty project with nothing and creates nothing', async () => {
    const caller = createCaller(temporaryFolder());
    const answer = await caller.call('memory_get', { ids: ['mem_x'] });
    expect(answer.body).toMatchObject({ status: 'ok', entries: [], total: 0, missing: ['mem_x'] });
    await caller.close();
  });

  it('gives each entry once over pages of any size, in every order', async () => {
    const caller = createCaller(temporaryFolder());
    const stored: string[] = [];
    for (let n = 0; n < 17; n++) {
      stored.push(await store(caller, `part${n}`));
      if (n % 3 === 0) caller.clock.advance(5);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('newest', 'oldest', 'most_recalled'),
        async (limit, order) => {
          const seen = (await allPages(caller, { limit, order })).map(({ id }) => id);
          expect([...seen].sort()).toEqual([...stored].sort());
        },
      ),
      { numRuns: 25 },
    );
    await caller.close();
  });
});

describe('memory_get by detail', () => {
  it('M81: shows every observation of a fix that was reported fifty times as one entry', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      fix: 'Use Array.from() on it first.',
    };
    const id = (await caller.call('memory_remember', fix)).string('id');
    for (let n = 1; n < 50; n++) {
      const again = await caller.call('memory_remember', {
        ...fix,
        fix: n % 2 === 0 ? 'Use  Array.from() on it first.' : fix.fix,
      });
      expect(again.body).toMatchObject({ status: 'merged', id });
    }
    const [entry] = (await caller.call('memory_get', { ids: [id], detail: 'full' })).list('entries');
    expect(entry).toMatchObject({ observations: 50, error_fix: { fix: fix.fix } });
    expect((await caller.call('hooks_stats')).body).toMatchObject({ stats: { total_memories: 1, total_errors: 1 } });
    await caller.close();
  });

  it('M84: keeps the old text of a source key in the history of the one live entry', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      source_path: 'docs/solutions/a.md',
    };
    const id = (await caller.call('memory_remember', { ...fix, fix: 'Use Array.from() on it first.' })).string('id');
    const updated = await caller.call('memory_remember', { ...fix, fix: 'Check Array.isArray() on it first.' });
    expect(updated.body).toMatchObject({ status: 'updated', id, total: 1 });
    const [entry] = (await caller.call('memory_get', { ids: [id], detail: 'history' })).list('entries');
    const revisions = list(entry, 'revisions');
    expect(revisions.map((revision) => revision['n'])).toEqual([2, 1]);
    expect(revisions[0]?.['content']).toContain('Array.isArray()');
    expect(revisions[1]?.['content']).toContain('Array.from()');
    expect(list(entry, 'events').map(({ op }) => op)).toEqual(['revise', 'create']);
    await caller.close();
  });

  it('escapes markup and gives no secret of an older row', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const { memory } = await caller.runtime.forRead(caller.context, {});
    await memory?.store.write((db) =>
      db.run("UPDATE revision SET text = ?, fields = '{}'", [`</content><b>& key ${FAKE_KEY} \u202e`]),
    );
    for (const detail of ['summary', 'full']) {
      const [entry] = (await caller.call('memory_get', { ids: [id], detail })).list('entries');
      expect(entry?.['content']).toMatch(/^&lt;\/content&gt;&lt;b&gt;&amp; key \[redacted:[a-z0-9_-]+\]\s?$/);
    }
    const plain = await getEntries(caller.runtime, caller.context, { ids: [id], form: 'plain', detail: 'full' });
    expect(plain.entries[0]?.content).toMatch(/^<\/content><b>& key \[redacted/);
    await caller.close();
  });

  it('goes on inside a text that is longer than an answer until all of it was given', async () => {
    const caller = createCaller(temporaryFolder());
    const text = Array.from({ length: 6_000 }, (_, n) => `<word${n}>`).join(' ');
    const long = (await caller.call('hooks_remember', { content: text })).string('id');
    await store(caller, 'login');
    const entries = await allPages(caller, { detail: 'full', order: 'oldest' });
    const parts = entries.filter(({ id }) => id === long);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ content }) => content).join('')).toBe(text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    expect(parts[1]).toMatchObject({ truncated: true, content_chars: text.length });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2);
    await caller.close();
  });

  it('stops before an answer grows too large and goes on behind the cursor', async () => {
    const caller = createCaller(temporaryFolder());
    for (let n = 0; n < 20; n++) {
      const filler = Array.from({ length: 300 }, (_, i) => `part${n}x${i}`).join(' ');
      await caller.call('hooks_remember', { content: `Module${n} is started by setup${n}. ${filler}` });
    }
    const first = await caller.call('memory_get', { detail: 'full' });
    expect(first.list('entries').length).toBeLessThan(20);
    expect(first.body).toMatchObject({ total: 20, next_cursor: expect.any(String) as string });
    const entries = await allPages(caller, { detail: 'full' });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(20);
    expect(entries).toHaveLength(20);
    await caller.close();
  });

  it('keeps quarantined text from a tool and shows it to a person', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const { memory } = await caller.runtime.forRead(caller.context, {});
    await memory?.store.write((db) => db.run("UPDATE entry SET state = 'quarantined'"));
    const answer = await caller.call('memory_get', { queue: 'quarantined', detail: 'history' });
    expect(answer.list('entries')).toMatchObject([{ id, state: 'quarantined', content: '' }]);
    expect(answer.text).not.toContain('loadLogin');
    expect((await caller.call('memory_outcome', { id, verdict: 'reopen' })).body['error']).toMatchObject({
      code: 'invalid_input',
      repair: { command: 'cairn memory list --queue quarantined' },
    });
    const person = await getEntries(
      caller.runtime,
      { ...caller.context, surface: 'cli' },
      { queue: 'quarantined', detail: 'full' },
    );
    expect(person.entries[0]?.content).toContain('loadLogin');
    await caller.close();
  });
});

describe('the review queues', () => {
  it('hold contradictions as pairs until one of the two is gone', async () => {
    const caller = createCaller(temporaryFolder());
    const say = async (text: string): Promise<Answer> => caller.call('hooks_remember', { content: text });
    const one = (
      await say('Enable strictNullChecks in tsconfig.json for the packages folder of this repository.')
    ).string('id');
    const two = (
      await say('Do not enable strictNullChecks in tsconfig.json for the packages folder of this repository.')
    ).string('id');
    const queue = await caller.call('memory_get', { queue: 'conflicts' });
    expect(queue.list('entries')).toMatchObject([{ id: two, other: { id: one } }]);
    await caller.call('memory_outcome', { id: one, verdict: 'obsolete', replaced_by: two });
    expect((await caller.call('memory_get', { queue: 'conflicts' })).body['total']).toBe(0);
    await caller.close();
  });
});
