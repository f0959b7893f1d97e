import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Answer, createCaller, FAKE_KEY, learning, store, withCalls } from './caller.ts';

const NOTE = 'The release script in scripts/release.mjs needs GITHUB_TOKEN, else npm publish ends with code ENEEDAUTH.';

/** Twenty notes that share a word with the query. */
function notes(count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) =>
      `Module${n} fails in tests/case${n}.test.ts with timeout ${n} because worker${n} is started twice by setup${n}.`,
  );
}

describe('hooks_remember and hooks_recall', () => {
  it('M19: what was stored comes back with a numeric score, the same content and type, and an ISO time', async () => {
    const caller = createCaller(temporaryFolder());
    const stored = await caller.call('hooks_remember', { content: NOTE, type: 'project' });
    expect(stored.body).toMatchObject({ success: true, stored: true, total: 1, status: 'stored' });
    expect(stored.body['skipped']).toBeUndefined();
    expect(JSON.parse(stored.text)).toEqual(stored.body);
    const recalled = await caller.call('hooks_recall', { query: 'npm publish ENEEDAUTH in release script' });
    expect(JSON.parse(recalled.text)).toEqual(recalled.body);
    expect(recalled.body).toMatchObject({ success: true, query: 'npm publish ENEEDAUTH in release script' });
    const [result] = recalled.list('results');
    expect(result).toMatchObject({ id: stored.string('id'), content: NOTE, type: 'project' });
    expect(typeof result?.['score']).toBe('number');
    expect(result?.['created']).toBe(new Date(caller.clock.now()).toISOString());
    await caller.close();
  });

  it('M20: top_k is 5 where absent, reads "5" as 5, gives 1 and 10, and refuses what is out of 1 to 50', async () => {
    const caller = createCaller(temporaryFolder());
    for (const content of notes(12)) await caller.call('hooks_remember', { content });
    const query = 'tests fail with timeout because the worker is started twice';
    const count = async (more: Record<string, unknown>): Promise<number> =>
      (await caller.call('hooks_recall', { query, ...more })).list('results').length;
    expect(await count({})).toBe(5);
    expect(await count({ top_k: 1 })).toBe(1);
    expect(await count({ top_k: '5' })).toBe(5);
    expect(await count({ top_k: 10 })).toBe(10);
    for (const top_k of [0, -3, 1.5, 1e9, '0', 'five', true, null]) {
      const refused = await caller.call('hooks_recall', { query, top_k });
      expect(refused.isError, String(top_k)).toBe(true);
      expect(refused.body, String(top_k)).toMatchObject({
        success: false,
        error: { code: 'invalid_input', field: 'top_k' },
      });
      expect(refused.text).toMatch(/1 to 50/);
    }
    await caller.close();
  });

  it('M21: a missing query names the field, unknown arguments get the accepted names, in words of ours', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('hooks_recall', {})).body).toMatchObject({
      success: false,
      error: { code: 'invalid_input', field: 'query' },
    });
    const unknown = await caller.call('hooks_recall', { query: 'x', namespace: 'default', metadata: {} });
    expect(unknown.body['error']).toMatchObject({ code: 'invalid_input', field: 'namespace' });
    expect(unknown.text).toContain('query, top_k');
    expect(unknown.text).not.toMatch(/ZodError|TypeError|at .*\.ts:/);
    await caller.close();
  });

  it('M22: an unknown type is general with a warning, another case is the type, a number is refused', async () => {
    const caller = createCaller(temporaryFolder());
    const typeOf = async (answer: Answer): Promise<unknown> =>
      (await caller.call('memory_get', { ids: [answer.string('id')] })).list('entries')[0]?.['type'];
    const bogus = await caller.call('hooks_remember', { content: NOTE, type: 'bogus' });
    expect(await typeOf(bogus)).toBe('general');
    expect(bogus.body['warnings']).toEqual([expect.stringContaining('bogus')]);
    expect(await typeOf(await caller.call('hooks_remember', { content: notes(1)[0], type: 'Decision' }))).toBe(
      'decision',
    );
    expect((await caller.call('hooks_remember', { content: NOTE, type: 7 })).body).toMatchObject({
      success: false,
      error: { code: 'invalid_input', field: 'type' },
    });
    await caller.close();
  });

  it('M23, M27: empty, blank, punctuation or only a key is rejected, writes nothing and is never found, here or in another process', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const key = FAKE_KEY;
    for (const [content, code] of [
      ['', 'empty_content'],
      ['  \n\t ', 'empty_content'],
      ['?!… --', 'empty_content'],
      [key, 'secret_only'],
    ] as const) {
      const refused = await caller.call('hooks_remember', { content });
      expect(refused.isError, content).toBe(true);
      expect(refused.body, content).toMatchObject({
        success: false,
        stored: false,
        skipped: true,
        status: 'rejected',
        reason: code,
        error: { code, field: 'content' },
      });
    }
    expect(existsSync(`${caller.project}/.cairn`)).toBe(false);
    await store(caller, 'login');
    const other = withCalls(caller.another());
    for (const reader of [caller, other]) {
      expect((await reader.call('hooks_stats')).body).toMatchObject({ stats: { total_memories: 1 } });
      const found = await reader.call('hooks_recall', { query: key });
      expect(found.text).not.toContain(`"content":"${key}`);
      expect(found.list('results').filter(({ content }) => String(content).includes(key))).toEqual([]);
    }
    await other.close();
    await caller.close();
  });

  it('fifty long notes give one answer within 24,000 characters, each cut marked and repaired by a call', async () => {
    const caller = createCaller(temporaryFolder());
    const filler = Array.from({ length: 150 }, (_, n) => `<"line ${n}">`).join('\n');
    for (const note of notes(50)) await caller.call('hooks_remember', { content: `${note}\n${filler}` });
    const answer = await caller.call('hooks_recall', {
      query: `tests fail with timeout because the worker is started twice ${'"\\ '.repeat(5_000)}`,
      top_k: 50,
    });
    expect(answer.text.length).toBeLessThanOrEqual(24_000);
    const results = answer.list('results');
    expect(results).toHaveLength(50);
    for (const result of results)
      expect(result).toMatchObject({ truncated: true, content_chars: expect.any(Number) as number });
    const repair = answer.body['repair'] as { operation: string; arguments: Record<string, unknown> };
    expect(repair.operation).toBe('memory_get');
    const whole = await caller.call(repair.operation, repair.arguments);
    expect(whole.isError).toBe(false);
    expect(whole.text.length).toBeLessThanOrEqual(24_000);
    await caller.close();
  }, 60_000);

  it('answers a repeat in the words that older consumers match', async () => {
    const caller = createCaller(temporaryFolder());
    const first = await caller.call('hooks_remember', { content: NOTE });
    const near = await caller.call('hooks_remember', { content: `Remember: ${NOTE}` });
    expect(near.body).toMatchObject({
      success: true,
      stored: false,
      skipped: true,
      reason: 'near-duplicate exists',
      status: 'near_duplicate',
      duplicate_of: first.string('id'),
      token: expect.any(String) as string,
    });
    const same = await caller.call('hooks_remember', { content: NOTE.toUpperCase().toLowerCase() });
    expect(same.body).toMatchObject({
      success: true,
      stored: false,
      skipped: true,
      status: 'merged',
      id: first.string('id'),
    });
    const forced = await caller.call('hooks_remember', { content: `Remember: ${NOTE}`, force: true });
    expect(forced.body).toMatchObject({ stored: true, status: 'stored', total: 2 });
    await caller.close();
  });
});

describe('hooks_stats', () => {
  it('M28: counts the same in two processes and after a restart, and names the store inside the project', async () => {
    const caller = createCaller(temporaryFolder());
    for (const content of notes(20))
      expect((await caller.call('hooks_remember', { content })).body['stored']).toBe(true);
    const other = withCalls(caller.another());
    const bodies = [(await caller.call('hooks_stats')).body, (await other.call('hooks_stats')).body];
    await caller.close();
    await other.close();
    const restarted = withCalls(caller.another());
    bodies.push((await restarted.call('hooks_stats')).body);
    for (const body of bodies) {
      expect(body).toMatchObject({
        success: true,
        stats: { total_memories: 20, totalMemories: 20, total_patterns: 0, total_trajectories: 0 },
      });
      expect(body['intel_path']).toBe(`${caller.project}/.cairn/memory.db`);
      expect(body).toMatchObject({
        by_kind: { learning: 20 },
        by_type: { general: 20 },
        by_state: { active: 20 },
        pending: 0,
      });
      expect(Number(body['bytes'])).toBeGreaterThan(20_000);
    }
    expect((await restarted.call('memory_get', { limit: 100 })).body['total']).toBe(20);
    await restarted.close();
  });

  it('creates no store', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('hooks_stats')).body).toMatchObject({
      stats: { total_memories: 0 },
      intel_path: `${caller.project}/.cairn/memory.db`,
      bytes: 0,
    });
    expect(readdirSync(caller.project)).toEqual([]);
    await caller.close();
  });
});

describe('hooks_capabilities', () => {
  it('M29: answers at once with the constants and the true state, and touches no file', async () => {
    const caller = createCaller(temporaryFolder());
    const startedAt = performance.now();
    const answer = await caller.call('hooks_capabilities');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(answer.body).toMatchObject({
      success: true,
      capabilities: { engine: true, vectorDb: true, sona: false, attention: false },
      stats: {
        totalMemories: 0,
        trajectoriesRecorded: 0,
        patternsLearned: 0,
        microLoraUpdates: 0,
        ewcConsolidations: 0,
      },
      mode: 'hybrid',
      protocol: {
        recall_top_k: 5,
        recall_floor: 0.5,
        recall_keep: 3,
        recall_max_chars: 800,
        error_fix_floor: 0.4,
        dedup_threshold: 0.82,
        retry_limit: 1,
      },
      version: '0.0.0-test',
    });
    expect(readdirSync(caller.project)).toEqual([]);
    expect(readdirSync(caller.home)).toEqual([]);
    await caller.close();
  });
});

describe('a store that cannot be read', () => {
  it('M18: is a tool error with its code and the exact notice of each door, told apart from an empty one', async () => {
    const caller = createCaller(temporaryFolder());
    await store(caller, 'login');
    await caller.close();
    writeFileSync(`${caller.project}/.cairn/memory.db`, 'x'.repeat(50_000));
    const other = withCalls(caller.another());
    const old = await other.call('hooks_recall', { query: 'login settings' });
    expect(old).toMatchObject({
      isError: true,
      body: {
        success: false,
        status: 'unavailable',
        results: [],
        notice: '[ruvector] Warning: recall unavailable after retry',
        error: { code: 'store_damaged', retryable: false },
      },
    });
    const own = await other.call('memory_recall', { text: 'login settings' });
    expect(own).toMatchObject({
      isError: true,
      body: { status: 'unavailable', notice: '[cairn] Warning: recall unavailable after retry' },
    });
    expect(own.text).toContain('store_damaged');
    const write = await other.call('hooks_remember', { content: NOTE });
    expect(write).toMatchObject({
      isError: true,
      body: {
        success: false,
        stored: false,
        status: 'unavailable',
        notice: '[ruvector] Warning: remember failed after retry — learning not persisted',
      },
    });
    await other.close();
  });
});

describe('memory_remember', () => {
  it('M40: the same event id from review and from work is one entry, and the second answer a replay', async () => {
    const caller = createCaller(temporaryFolder());
    const first = await caller.call('memory_remember', {
      ...learning('login'),
      source: 'review',
      signal: 'p1',
      event_id: 'evt-7',
    });
    const second = await caller.call('memory_remember', { ...learning('search'), event_id: 'evt-7' });
    expect(second.body).toMatchObject({ status: 'stored', id: first.string('id'), replayed: true });
    expect((await caller.call('memory_get', {})).body['total']).toBe(1);
    await caller.close();
  });

  it('M41: a dry run decides in full and changes no byte of the store', async () => {
    const caller = createCaller(temporaryFolder());
    await store(caller, 'login');
    const { memory } = await caller.runtime.forRead(caller.context, {});
    const dump = (): unknown =>
      ['event', 'revision', 'provenance', 'pending', 'idempotency', 'entry'].map((table) =>
        memory?.store.db.all(`SELECT * FROM ${table}`),
      );
    const before = dump();
    const cases: [Record<string, unknown>, Record<string, unknown>][] = [
      [learning('search'), { status: 'stored', tier: 'auto' }],
      [learning('login'), { status: 'merged' }],
      [{ ...learning('login'), context: `Yesterday ${learning('login').context}` }, { status: 'near_duplicate' }],
      [{ ...learning('theme'), source: 'review', signal: 'p2' }, { status: 'needs_confirmation' }],
      [{ ...learning('theme'), source: 'review', signal: 'p3' }, { status: 'skipped' }],
      [{ source: 'work', signal: 'insight', content: 'Too short.' }, { status: 'rejected' }],
      [
        {
          source: 'debug',
          signal: 'verified',
          error: 'TypeError: x.map is not a function',
          fix: 'Use Array.from() on it first.',
        },
        { status: 'stored', type: 'context' },
      ],
    ];
    for (const [given, expected] of cases) {
      const answer = await caller.call('memory_remember', {
        ...given,
        event_id: `dry-${JSON.stringify(expected)}`,
        dry_run: true,
      });
      expect(answer.body).toMatchObject(expected);
      expect(answer.body['token']).toBeUndefined();
    }
    expect(dump()).toEqual(before);
    await caller.close();
  });

  it('M122: the user scope has its own store, made at its first write and read only where it is named', async () => {
    const caller = createCaller(temporaryFolder());
    const content = 'Prefer rg over grep -r in every repository, it skips what .gitignore names.';
    expect(existsSync(`${caller.home}/data`)).toBe(false);
    const parts = {
      context: content,
      insight: 'It is faster and leaves node_modules alone by default.',
      action: 'Use rg with --hidden only where needed.',
    };
    const stored = await caller.call('memory_remember', { source: 'manual', ...parts, scope: 'user' });
    expect(stored.body).toMatchObject({
      status: 'stored',
      scope: { derived_from: 'user', store_path: `${caller.home}/data/user/memory.db` },
    });
    expect(existsSync(`${caller.home}/data/user/memory.db`)).toBe(true);
    expect(existsSync(`${caller.project}/.cairn`)).toBe(false);
    const query = { text: 'Prefer rg over grep -r, it skips what .gitignore names' };
    expect((await caller.call('memory_recall', query)).list('findings')).toEqual([]);
    const found = await caller.call('memory_recall', { ...query, scope: 'user' });
    expect(found.list('findings').map(({ id }) => id)).toEqual([stored.string('id')]);
    expect(found.body['scope']).toMatchObject({ derived_from: 'user' });
    await caller.close();
  });
});
