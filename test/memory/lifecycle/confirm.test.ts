import { describe, expect, it } from 'vitest';
import { MEMORY_MIGRATIONS } from '../../../src/memory/index.ts';
import { openStore } from '../../../src/storage/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Caller, createCaller, FAKE_KEY, learning, store } from '../operations/caller.ts';

const PROMPTED = { ...learning('cache'), source: 'review', signal: 'p2' };

async function ask(caller: Caller, given: Record<string, unknown> = {}): Promise<string> {
  const answer = await caller.call('memory_remember', { ...PROMPTED, ...given });
  expect(answer.body['status']).toBe('needs_confirmation');
  return answer.string('token');
}

async function activeTexts(caller: Caller): Promise<string[]> {
  const answer = await caller.call('memory_get', { state: 'active', detail: 'full' });
  return answer.list('entries').map((entry) => String(entry['content']));
}

describe('a review finding by its signal', () => {
  it('M33: p1 is stored, p2 waits, p3 is skipped however short, and leaves no row', async () => {
    const caller = createCaller(temporaryFolder());
    expect(
      (await caller.call('memory_remember', { ...learning('login'), source: 'review', signal: 'p1' })).body,
    ).toMatchObject({ status: 'stored', tier: 'auto' });
    await ask(caller);
    const skipped = await caller.call('memory_remember', { ...learning('theme'), source: 'review', signal: 'p3' });
    expect(skipped.body).toMatchObject({ status: 'skipped', tier: 'skip' });
    expect(skipped.isError).toBe(false);
    const short = await caller.call('memory_remember', {
      source: 'review',
      signal: 'p3',
      content: 'Use two spaces here please',
    });
    expect(short.body['status']).toBe('skipped');
    const stats = await caller.call('hooks_stats');
    expect(stats.body).toMatchObject({ stats: { total_memories: 1 }, pending: 1, by_state: { active: 1 } });
    await caller.close();
  });
});

describe('memory_confirm', () => {
  it('M34: a prompted learning is absent, then stored and found, and its token works once', async () => {
    const caller = createCaller(temporaryFolder());
    const asked = await caller.call('memory_remember', { ...PROMPTED, interactive: true });
    expect(asked.body).toMatchObject({ question: 'Save this learning to memory?' });
    const token = asked.string('token');
    const before = await caller.call('memory_recall', { text: 'cache module lost its settings after restart' });
    expect(before.list('findings')).toEqual([]);
    const stored = await caller.call('memory_confirm', { token, decision: 'store' });
    expect(stored.body).toMatchObject({ status: 'stored', total: 1 });
    const found = await caller.call('memory_recall', { text: 'cache module lost its settings after restart' });
    expect(found.list('findings').map((finding) => finding['id'])).toEqual([stored.string('id')]);
    const again = await caller.call('memory_confirm', { token, decision: 'store' });
    expect(again.isError).toBe(true);
    expect(again.code).toBe('token_used');
    await caller.close();
  });

  it('M35: with nobody there it waits in the queue with its token, and expires after seven days unstored', async () => {
    const caller = createCaller(temporaryFolder());
    const asked = await caller.call('memory_remember', PROMPTED);
    expect(asked.body['question']).toBeUndefined();
    const queue = await caller.call('memory_get', { queue: 'pending' });
    expect(queue.list('entries')).toMatchObject([
      { state: 'pending', token: asked.string('token'), reason: 'prompted' },
    ]);
    caller.clock.advance(7 * 24 * 3_600_000 + 1);
    const late = await caller.call('memory_confirm', { token: asked.string('token'), decision: 'store' });
    expect(late.code).toBe('token_expired');
    expect(await activeTexts(caller)).toEqual([]);
    expect((await caller.call('memory_get', { queue: 'pending' })).body['total']).toBe(0);
    await caller.close();
  });

  it('M36: refuses a token of another project, and one whose content was changed', async () => {
    const folder = temporaryFolder();
    const caller = createCaller(folder);
    const token = await ask(caller);
    const other = createCaller(folder, { project: 'other' });
    expect((await other.call('memory_confirm', { token, decision: 'store' })).code).toBe('token_mismatch');
    await store(other, 'search');
    expect((await other.call('memory_confirm', { token, decision: 'store' })).code).toBe('token_mismatch');
    await other.close();

    const path = String((await caller.call('hooks_stats')).body['intel_path']);
    const file = await openStore({ path, mode: 'existing', clock: caller.clock, migrations: MEMORY_MIGRATIONS });
    await file.write((db) =>
      db.run("UPDATE pending SET payload = replace(payload, 'lost its settings', 'lost its password')"),
    );
    file.close();
    expect((await caller.call('memory_confirm', { token, decision: 'store' })).code).toBe('token_mismatch');
    expect(await activeTexts(caller)).toEqual([]);
    await caller.close();
  });

  it('leaves no text behind when it discards', async () => {
    const caller = createCaller(temporaryFolder());
    const token = await ask(caller);
    expect((await caller.call('memory_confirm', { token, decision: 'discard' })).body).toMatchObject({
      status: 'discarded',
      total: 0,
    });
    const { memory } = await caller.runtime.forRead(caller.context, {});
    expect(memory?.store.db.all('SELECT payload, decided FROM pending')).toEqual([
      { payload: '{}', decided: 'discard' },
    ]);
    await caller.close();
  });

  it('judges an edited text like a new one and stores it instead', async () => {
    const caller = createCaller(temporaryFolder());
    const token = await ask(caller);
    const vague = await caller.call('memory_confirm', {
      token,
      decision: 'store',
      edited_content: 'Be careful with it.',
    });
    expect(vague.code).toBe('quality_gates');
    const edited = [
      'Context: the cache module in src/cache/index.ts lost its settings after each restart.',
      `Insight: the key ${FAKE_KEY} was used before the user file had been merged.`,
      'Action: call loadCache() after the merge.',
    ].join('\n');
    const stored = await caller.call('memory_confirm', { token, decision: 'store', edited_content: edited });
    expect(stored.body['status']).toBe('stored');
    const [text] = await activeTexts(caller);
    expect(text).toContain('after each restart.');
    expect(text).not.toContain(FAKE_KEY);
    await caller.close();
  });

  it('decides about a near-duplicate: merge adds an observation, supersede replaces, store keeps both', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const { context, ...rest } = learning('login');
    const repeat = async (word: string): Promise<string> => {
      const answer = await caller.call('memory_remember', { ...rest, context: `${word} ${context}` });
      expect(answer.body).toMatchObject({ status: 'near_duplicate', duplicate_of: id });
      return answer.string('token');
    };
    const merged = await caller.call('memory_confirm', { token: await repeat('Yesterday'), decision: 'merge' });
    expect(merged.body).toMatchObject({ status: 'merged', id, total: 1 });
    const [entry] = (await caller.call('memory_get', { ids: [id], detail: 'full' })).list('entries');
    expect(entry?.['observations']).toBe(2);

    const kept = await caller.call('memory_confirm', { token: await repeat('Sometimes'), decision: 'store' });
    expect(kept.body).toMatchObject({ status: 'stored', total: 2, similar: [id] });
    const pairs = (await caller.call('memory_get', { queue: 'near_duplicates' })).list('entries');
    expect(pairs).toMatchObject([{ id: kept.string('id'), other: { id } }]);

    const refused = await caller.call('memory_confirm', { token: await ask(caller), decision: 'supersede' });
    expect(refused.code).toBe('invalid_input');
    await caller.close();
  });

  it('supersedes the entry that the new text repeats', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const { context, ...rest } = learning('login');
    const token = (await caller.call('memory_remember', { ...rest, context: `Yesterday ${context}` })).string('token');
    const answer = await caller.call('memory_confirm', { token, decision: 'supersede' });
    expect(answer.body).toMatchObject({ status: 'stored', superseded: [id], total: 1 });
    const [old] = (await caller.call('memory_get', { ids: [id] })).list('entries');
    expect(old).toMatchObject({ state: 'superseded', superseded_by: answer.string('id') });
    await caller.close();
  });

  it('records who decided, as claimed', async () => {
    const caller = createCaller(temporaryFolder());
    await caller.call('memory_confirm', { token: await ask(caller), decision: 'store', confirmed_by: 'policy' });
    const { memory } = await caller.runtime.forRead(caller.context, {});
    const row = memory?.store.db.get<{ payload: string }>("SELECT payload FROM event WHERE op = 'confirm'");
    expect(JSON.parse(row?.payload ?? '{}')).toMatchObject({ decision: 'store', confirmed_by: 'policy' });
    await caller.close();
  });

  it('creates no store for a token of nowhere', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('memory_confirm', { token: 'pen_x.y', decision: 'store' })).code).toBe('token_mismatch');
    expect((await caller.call('hooks_stats')).body['schema_version']).toBeUndefined();
    await caller.close();
  });
});
