import { describe, expect, it } from 'vitest';
import { createFakeEmbedder, type Embedder, type FakeEmbedder } from '../../../src/embedding/index.ts';
import { CairnError } from '../../../src/kernel/index.ts';
import { startBackground } from '../../../src/memory/health/background.ts';
import { dropStaleVectors } from '../../../src/memory/health/housekeeping.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { activeSpace, findSpace } from '../../../src/memory/store/vectors.ts';
import { embedWaiting } from '../../../src/memory/vectors/backlog.ts';
import { reembed } from '../../../src/memory/vectors/reembed.ts';
import { coverageOf, OLD_SPACE_MS } from '../../../src/memory/vectors/spaces.ts';
import { useHarness } from '../exchange/folder.ts';
import type { MemoryHarness } from '../support/harness.ts';

const start = useHarness();

async function say(harness: MemoryHarness, n: number): Promise<string> {
  const content = `Note ${n}: the module src/part${n}.ts needs option --level=${n} since release 1.${n}, says the log.`;
  const { id, status, message } = await remember(harness.runtime, harness.context, { door: 'hooks', content });
  if (id === undefined) throw new Error(`${status}: ${message}`);
  return id;
}

async function fill(harness: MemoryHarness, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await say(harness, n);
}

async function opened(harness: MemoryHarness) {
  const { memory } = await harness.runtime.forWrite(harness.context, {});
  return memory;
}

async function coverage(harness: MemoryHarness, embedder: Embedder) {
  const { db } = (await opened(harness)).store;
  return coverageOf(db, findSpace(db, embedder.space()?.fingerprint ?? '')?.key);
}

/** Takes so many batches and then never answers again, like a machine that is switched off. */
function diesAfter(batches: number, base: FakeEmbedder): Embedder {
  let left = batches;
  return {
    ...base,
    embed: async (texts, options) => {
      if (left-- <= 0) throw new CairnError('cancelled', 'killed');
      return base.embed(texts, options);
    },
  };
}

describe('waiting passages', () => {
  it('are embedded newest first, in batches, and each batch is kept', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 70);
    expect(await embedWaiting(harness.runtime, await opened(harness))).toEqual({
      outcome: 'no_embedder',
      embedded: 0,
      failed: [],
    });
    embedder.behave('ready');
    const killed = embedWaiting(harness.runtime, await opened(harness), { embedder: diesAfter(1, embedder) });
    await expect(killed).rejects.toMatchObject({ code: 'cancelled' });
    expect(await coverage(harness, embedder)).toEqual({ total: 70, done: 32, waiting: 38, unused: 0 });
    expect(embedder.embedded[0]).toContain('Note 69:');
    expect(embedder.embedded).toHaveLength(32);
    expect(await embedWaiting(harness.runtime, await opened(harness), { limit: 5 })).toMatchObject({
      outcome: 'partial',
      embedded: 5,
    });
    expect(await embedWaiting(harness.runtime, await opened(harness))).toEqual({
      outcome: 'complete',
      embedded: 33,
      failed: [],
    });
    // Nothing was embedded twice.
    expect(new Set(embedder.embedded).size).toBe(70);
    expect(embedder.embedded).toHaveLength(70);
  });

  it('M66 stores at once with a stalled embedder, and embeds in the background when it wakes up', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'stalled' });
    const harness = start({ embedder });
    const background = startBackground(harness.runtime, { times: { afterUseMs: 5, houseMs: 60_000 } });
    const startedAt = performance.now();
    const answer = await remember(harness.runtime, harness.context, {
      door: 'hooks',
      content: 'The stalled embedder in src/e.ts must not hold a write back.',
    });
    expect(answer.status).toBe('stored');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect((await coverage(harness, embedder)).done).toBe(0);
    embedder.behave('ready');
    await expect.poll(() => coverage(harness, embedder).then(({ done }) => done), { timeout: 5_000 }).toBe(1);
    await background.stop();
  });

  it('M66 picks weights up that appear later, without a restart', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    const background = startBackground(harness.runtime);
    await fill(harness, 3);
    await background.runNow();
    expect((await coverage(harness, embedder)).done).toBe(0);
    embedder.behave('ready');
    await harness.runtime.forRead(harness.context, {});
    await background.runNow();
    expect(await coverage(harness, embedder)).toMatchObject({ done: 3, waiting: 0 });
    await background.stop();
  });

  it('are left alone while another process works through them, and taken over when it died', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 3);
    embedder.behave('ready');
    const memory = await opened(harness);
    const until = harness.clock.now() + 30_000;
    await memory.store.write((db) => db.run("INSERT INTO lease VALUES ('embed', 'other', 1, 'h', ?)", [until]));
    expect(await embedWaiting(harness.runtime, memory)).toMatchObject({ outcome: 'busy', embedded: 0 });
    // A recall's few passages need no lease.
    expect(await embedWaiting(harness.runtime, memory, { limit: 2 })).toMatchObject({ embedded: 2 });
    harness.clock.advance(30_001);
    expect(await embedWaiting(harness.runtime, memory)).toMatchObject({ outcome: 'complete', embedded: 1 });
  });

  it('keep no vector of a text that changed while it was made', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 1);
    embedder.behave('ready');
    const memory = await opened(harness);
    const slow: Embedder = {
      ...embedder,
      embed: async (texts, options) => {
        const made = await embedder.embed(texts, options);
        await memory.store.write((db) => db.run("UPDATE revision SET text = replace(text, 'Note 0', 'Memo 0')"));
        return made;
      },
    };
    await embedWaiting(harness.runtime, memory, { embedder: slow, limit: 1 });
    expect((await coverage(harness, embedder)).done).toBe(0);
    expect(await embedWaiting(harness.runtime, memory)).toMatchObject({ outcome: 'complete', embedded: 1 });
  });

  it('M65 do not count a vector of another text as theirs', async () => {
    const embedder = createFakeEmbedder();
    const harness = start({ embedder });
    await fill(harness, 3);
    const memory = await opened(harness);
    expect((await coverage(harness, embedder)).waiting).toBe(0);
    await memory.store.write((db) => db.run("UPDATE vector SET text_hash = X'00' WHERE key = 2"));
    await dropStaleVectors(memory, embedder.space()?.fingerprint ?? '', harness.context.signal);
    expect(await coverage(harness, embedder)).toMatchObject({ done: 2, waiting: 1 });
    expect(await embedWaiting(harness.runtime, memory)).toMatchObject({ embedded: 1 });
  });

  it('go on when one text is refused, and name its entry', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 4);
    embedder.behave('ready');
    const memory = await opened(harness);
    const picky: Embedder = {
      ...embedder,
      embed: (texts, options) =>
        texts.some((text) => text.includes('Note 2:'))
          ? Promise.reject(new CairnError('embedder_failed', 'no'))
          : embedder.embed(texts, options),
    };
    const result = await embedWaiting(harness.runtime, memory, { embedder: picky });
    expect(result).toMatchObject({ outcome: 'partial', embedded: 3 });
    expect(result.failed).toHaveLength(1);
    const dead: Embedder = { ...embedder, embed: () => Promise.reject(new CairnError('embedder_failed', 'gone')) };
    await expect(embedWaiting(harness.runtime, memory, { embedder: dead })).rejects.toMatchObject({
      code: 'embedder_failed',
    });
  });
});

describe('spaces', () => {
  it('M64 a new model fills its own space beside the old one, resumes after a kill, and then takes over', async () => {
    const old = createFakeEmbedder({ revision: '1' });
    const harness = start({ embedder: old });
    await fill(harness, 100);
    const fresh = createFakeEmbedder({ revision: '2' });
    const next = harness.another({ embedder: fresh });
    const memory = await opened(next);
    const { db } = memory.store;
    const active = () => activeSpace(db)?.fingerprint;
    await expect(embedWaiting(next.runtime, memory, { embedder: diesAfter(2, fresh) })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(active()).toBe(old.space()?.fingerprint);
    expect(await coverage(next, fresh)).toEqual({ total: 100, done: 64, waiting: 36, unused: 100 });
    next.clock.advance(60_000);
    expect(await embedWaiting(next.runtime, memory)).toMatchObject({ outcome: 'complete', embedded: 36 });
    expect(active()).toBe(fresh.space()?.fingerprint);
    expect(db.get('SELECT COUNT(*) AS n FROM space WHERE state = ?', ['active'])).toEqual({ n: 1 });
    // The search follows at once, also in the process that had the other space loaded.
    const query =
      (await fresh.embed(['Note 7: the module src/part7.ts'], { priority: 'query' }))[0]?.vector ?? new Float32Array();
    expect(await memory.vectors.search(query, 1)).toHaveLength(1);
    await next.close();
  });

  it('M64 two live servers with different models cannot undo each other', async () => {
    const old = createFakeEmbedder({ revision: '1' });
    const harness = start({ embedder: old });
    await fill(harness, 5);
    const fresh = createFakeEmbedder({ revision: '2' });
    const next = harness.another({ embedder: fresh });
    await embedWaiting(next.runtime, await opened(next));
    for (let round = 0; round < 3; round++) {
      await fill(harness, 2, 10 + round * 10);
      expect(await embedWaiting(harness.runtime, await opened(harness))).toMatchObject({
        outcome: 'replaced',
        embedded: 0,
      });
      await embedWaiting(next.runtime, await opened(next));
      expect(activeSpace((await opened(harness)).store.db)?.fingerprint).toBe(fresh.space()?.fingerprint);
    }
    expect(await coverage(next, fresh)).toMatchObject({ total: 11, done: 11 });
    // Only somebody who asks for it brings the old one back.
    expect(await reembed(harness.runtime, harness.context, { waitMs: 5_000 })).toMatchObject({ status: 'complete' });
    expect(activeSpace((await opened(harness)).store.db)?.fingerprint).toBe(old.space()?.fingerprint);
    await next.close();
  });

  it('M65 vectors of a model of equal dimension are counted as unused and never searched', async () => {
    const old = createFakeEmbedder({ revision: '1' });
    const harness = start({ embedder: old });
    await fill(harness, 3);
    const fresh = createFakeEmbedder({ revision: '2' });
    const next = harness.another({ embedder: fresh });
    expect(await coverage(next, fresh)).toEqual({ total: 3, done: 0, waiting: 3, unused: 3 });
    await embedWaiting(next.runtime, await opened(next));
    const memory = await opened(next);
    const keys = memory.store.db.all<{ key: number }>(
      'SELECT v.passage_key AS key FROM vector v JOIN space s ON s.key = v.space_key WHERE s.state = ?',
      ['active'],
    );
    const query = (await fresh.embed(['Note 1'], { priority: 'query' }))[0]?.vector ?? new Float32Array();
    expect(await memory.vectors.search(query, 50)).toHaveLength(keys.length);
    await next.close();
  });

  it('drops the vectors of a replaced space after 7 days, and not before', async () => {
    const old = createFakeEmbedder({ revision: '1' });
    const harness = start({ embedder: old });
    await fill(harness, 3);
    const fresh = createFakeEmbedder({ revision: '2' });
    const next = harness.another({ embedder: fresh });
    await embedWaiting(next.runtime, await opened(next));
    const background = startBackground(next.runtime);
    const round = async (): Promise<number> => {
      await next.runtime.forRead(next.context, {});
      await background.runNow();
      return (await coverage(next, fresh)).unused;
    };
    next.clock.advance(OLD_SPACE_MS - 1_000);
    expect(await round()).toBe(3);
    next.clock.advance(2_000);
    expect(await round()).toBe(0);
    // The older program that still runs finds its space replaced, not new.
    expect(await embedWaiting(harness.runtime, await opened(harness))).toMatchObject({ outcome: 'replaced' });
    await background.stop();
    await next.close();
  });
});

describe('hooks_reembed', () => {
  it('M30 says what it would do and changes nothing', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 40);
    embedder.behave('ready');
    const { db } = (await opened(harness)).store;
    const before = db.get('SELECT total_changes() AS n, (SELECT COUNT(*) FROM space) AS spaces');
    const answer = await reembed(harness.runtime, harness.context, { dryRun: true });
    expect(answer).toMatchObject({
      status: 'planned',
      total: 40,
      done: 0,
      waiting: 40,
      failed: [],
      space: embedder.space()?.fingerprint,
    });
    expect(answer.etaMs).toBeGreaterThan(0);
    expect(db.get('SELECT total_changes() AS n, (SELECT COUNT(*) FROM space) AS spaces')).toEqual(before);
    expect(embedder.embedded).toEqual([]);
  });

  it('M30 completes while two servers write, and no later write undoes it', async () => {
    const old = createFakeEmbedder({ revision: '1' });
    const harness = start({ embedder: old });
    await fill(harness, 40);
    const fresh = createFakeEmbedder({ revision: '2' });
    const first = harness.another({ embedder: fresh });
    const second = harness.another({ embedder: fresh });
    const writers = [first, second, harness].map((one, n) => fill(one, 10, 100 + n * 50));
    const answers: string[] = [];
    for (let tries = 0; tries < 50 && answers.at(-1) !== 'nothing_to_do'; tries++) {
      answers.push((await reembed(first.runtime, first.context, { waitMs: 200 })).status);
      const { memory } = await second.runtime.forRead(second.context, {});
      expect(
        memory?.store.db.all(`SELECT rowid FROM entry_fts WHERE entry_fts MATCH '"part7"'`).length,
      ).toBeGreaterThanOrEqual(0);
    }
    await Promise.all(writers);
    await reembed(first.runtime, first.context, { waitMs: 5_000 });
    expect(answers).toContain('complete');
    expect(activeSpace((await opened(first)).store.db)?.fingerprint).toBe(fresh.space()?.fingerprint);
    expect(await coverage(first, fresh)).toMatchObject({ total: 70, done: 70, waiting: 0 });
    await fill(harness, 3, 400);
    await embedWaiting(harness.runtime, await opened(harness));
    expect(activeSpace((await opened(first)).store.db)?.fingerprint).toBe(fresh.space()?.fingerprint);
    await first.close();
    await second.close();
  });

  it('M30 answers running when the wait is over, and goes on', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 3);
    embedder.behave('stalled');
    expect(await reembed(harness.runtime, harness.context, { waitMs: 20 })).toMatchObject({
      status: 'running',
      waiting: 3,
    });
    embedder.behave('ready');
    await expect.poll(() => coverage(harness, embedder).then(({ waiting }) => waiting)).toBe(0);
    expect(await reembed(harness.runtime, harness.context, {})).toMatchObject({
      status: 'nothing_to_do',
      done: 3,
      waiting: 0,
      etaMs: 0,
    });
  });

  it('M31 without weights says embedder_missing with a repair, and leaves texts and lexical search alone', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await fill(harness, 3);
    const answer = await reembed(harness.runtime, harness.context, {});
    expect(answer).toMatchObject({ status: 'failed', total: 3, waiting: 3, error: { code: 'embedder_missing' } });
    expect(answer.error?.repair).toBeDefined();
    expect(answer.space).toBeUndefined();
    const { db } = (await opened(harness)).store;
    expect(db.all(`SELECT rowid FROM entry_fts WHERE entry_fts MATCH '"part1"'`)).toHaveLength(1);
    embedder.behave('damaged');
    expect(await reembed(harness.runtime, harness.context, {})).toMatchObject({
      status: 'failed',
      error: { code: 'embedder_damaged' },
    });
    embedder.behave('failing');
    expect(await reembed(harness.runtime, harness.context, { waitMs: 1_000 })).toMatchObject({
      status: 'failed',
      error: { code: 'embedder_failed' },
    });
  });

  it('makes no store by asking', async () => {
    const harness = start();
    expect(await reembed(harness.runtime, harness.context, {})).toMatchObject({ status: 'nothing_to_do', total: 0 });
    expect((await harness.runtime.forRead(harness.context, {})).memory).toBeUndefined();
  });
});
