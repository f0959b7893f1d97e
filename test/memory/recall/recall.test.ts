import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { CairnError, createIdSource, systemClock } from '../../../src/kernel/index.ts';
import { MemoryRuntime, remember } from '../../../src/memory/index.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import { flushRecalls } from '../../../src/memory/recall/usage.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness, type MemoryHarness } from '../support/harness.ts';
import { ask, probe, store } from '../support/notes.ts';

const RETRY_NOTE =
  'The retry helper backs off exponentially from 200 ms with full jitter and stops after six attempts; idempotency keys are mandatory for POST.';
const UPLOAD_NOTE =
  'Uploads larger than 6 MB failed silently at the proxy; nginx client_max_body_size had to be raised in infra/nginx/site.conf.';

/** Notes about five parts of one subject, so that one query finds all of them. */
function fiveNotes(): string[] {
  return ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map(
    (name) =>
      `Deploy of the ${name} gateway needs a warm cache, else requests to the ${name} gateway time out in checkout.`,
  );
}

const FIVE_QUERY = 'deploy of the gateway needs a warm cache else requests to the gateway time out in checkout';

async function withHarness(
  body: (harness: MemoryHarness) => Promise<void>,
  options: Parameters<typeof createHarness>[1] = {},
): Promise<void> {
  const harness = createHarness(temporaryFolder(), options);
  try {
    await body(harness);
  } finally {
    await harness.close();
  }
}

describe('recall', () => {
  it('M8, M12: gives three findings of five in the block, counts the others, and no frame without findings', () =>
    withHarness(async (harness) => {
      for (const note of fiveNotes()) await store(harness, note);
      const answer = await ask(harness, FIVE_QUERY);
      expect(answer).toMatchObject({ status: 'ok', mode: 'hybrid', aboveFloor: 5 });
      expect(answer.findings).toHaveLength(3);
      expect(answer.omitted.overBudget).toBe(2);
      const lines = answer.block.split('\n').filter((line) => line.startsWith('<finding'));
      expect(lines).toHaveLength(3);
      lines.forEach((line, i) => {
        expect(line).toMatch(
          new RegExp(`^<finding id="${i + 1}" score="\\d\\.\\d\\d"><content>.+</content></finding>$`),
        );
      });
      const nothing = await ask(harness, 'medieval castle siege tactics');
      expect(nothing.block).toBe('');
      expect(nothing.findings).toEqual([]);
    }));

  it('M4: a prefix changes neither scores nor order and names the workflow', () =>
    withHarness(async (harness) => {
      for (const note of fiveNotes()) await store(harness, note);
      const view = (answer: Awaited<ReturnType<typeof probe>>) => answer.results.map(({ id, score }) => [id, score]);
      const plain = await probe(harness, FIVE_QUERY);
      const prefixed = await probe(harness, `[code-review] ${FIVE_QUERY}`);
      expect(view(prefixed)).toEqual(view(plain));
      expect([plain.query.workflow, prefixed.query.workflow]).toEqual(['other', 'review']);
    }));

  it('M18: an empty store, an unrelated query, a query of punctuation and a missing project are told apart', () =>
    withHarness(async (harness) => {
      const empty = await ask(harness, 'anything at all');
      expect(empty).toMatchObject({ status: 'empty', reason: 'no_entries', entriesInScope: 0 });
      expect(existsSync(`${harness.project}/.cairn`)).toBe(false);
      await store(harness, RETRY_NOTE);
      const unrelated = await ask(harness, 'medieval castle siege tactics');
      expect(['empty', 'below_floor']).toContain(unrelated.status);
      expect(unrelated.entriesInScope).toBe(1);
      expect(await ask(harness, '?!…')).toMatchObject({ status: 'empty', reason: 'no_searchable_text' });
      expect(await ask(harness, 'the of and')).toMatchObject({ status: 'empty', reason: 'no_searchable_text' });
    }));

  it('M24: a stored note’s full text is first with score 1, before and after a restart, in any case and spacing', () =>
    withHarness(async (harness) => {
      const id = await store(harness, RETRY_NOTE);
      await store(harness, UPLOAD_NOTE);
      for (const one of [harness, harness.another()]) {
        const { results } = await probe(one, `  ${RETRY_NOTE.toUpperCase()} `);
        expect(results[0]).toMatchObject({ id, score: 1, match: 'identical' });
        const prefixed = await probe(one, `[knowledge-capture] ${RETRY_NOTE}`);
        expect(prefixed.results[0]).toMatchObject({ id, score: 1 });
      }
    }));

  it('M25: one changed number keeps the score at or under the duplicate threshold', () =>
    withHarness(async (harness) => {
      const id = await store(harness, RETRY_NOTE);
      const { results } = await probe(harness, RETRY_NOTE.replace('200 ms', '250 ms'));
      expect(results[0]?.id).toBe(id);
      expect(results[0]?.score).toBeGreaterThan(0.5);
      expect(results[0]?.score).toBeLessThanOrEqual(0.82);
    }));

  it('gives more than 0.82 exactly where remember would find a repeat', () =>
    withHarness(async (harness) => {
      await store(harness, RETRY_NOTE);
      await store(harness, UPLOAD_NOTE);
      const variants = [
        `Note: ${RETRY_NOTE}`,
        RETRY_NOTE.replace('The retry helper', 'Helper'),
        RETRY_NOTE.replace('six', 'seven'),
        RETRY_NOTE.replace('are mandatory', 'are not mandatory'),
        UPLOAD_NOTE.replace('raised', 'lowered'),
        `${UPLOAD_NOTE} It was found late.`,
      ];
      for (const text of variants) {
        const { results } = await probe(harness, text);
        const decision = await remember(harness.runtime, harness.context, {
          door: 'hooks',
          content: text,
          dryRun: true,
        });
        const isRepeat = decision.status === 'near_duplicate' || decision.status === 'merged';
        expect((results[0]?.score ?? 0) > 0.82, text).toBe(isRepeat);
      }
    }));

  it('M20: gives as many results as asked for, best score first', () =>
    withHarness(async (harness) => {
      for (const note of fiveNotes()) await store(harness, note);
      await store(harness, RETRY_NOTE);
      for (const topK of [1, 3, 5]) {
        const { results } = await probe(harness, FIVE_QUERY, { topK });
        expect(results).toHaveLength(topK);
        const scores = results.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }
    }));

  it('M32: fifty long notes give an answer of bounded size with their cuts marked', () =>
    withHarness(async (harness) => {
      for (let n = 0; n < 50; n++) {
        await store(harness, `Subject gateway cache number ${n}. ${`filler${n} words `.repeat(600)}`);
      }
      const { results } = await probe(harness, 'gateway cache', { topK: 50 });
      expect(results).toHaveLength(50);
      expect(JSON.stringify(results).length).toBeLessThan(24_000);
      for (const { content, contentChars } of results) expect(contentChars).toBeGreaterThan([...content].length);
    }));

  it('M69, M77: equal queries give equal ids, order and scores after a restart; ties go to the newest, then the id', () =>
    withHarness(async (harness) => {
      const ids: string[] = [];
      for (const name of ['one', 'two', 'three', 'four']) {
        harness.clock.advance(60_000);
        const context = { ...harness.context, session: `session of ${name}` };
        ids.push(await store({ ...harness, context }, `Lock file ${name} of the indexer`, { force: true }));
      }
      const view = async (one: MemoryHarness) =>
        (await probe(one, 'indexer lock file')).results.map(({ id, score }) => ({ id, score }));
      const first = await view(harness);
      expect(await view(harness.another())).toEqual(first);
      const lexical = await probe(
        harness.another({ embedder: createFakeEmbedder({ behaviour: 'missing' }) }),
        'indexer lock file',
      );
      expect(new Set(lexical.results.map(({ score }) => score)).size).toBe(1);
      expect(lexical.results.map(({ id }) => id)).toEqual([...ids].reverse());
    }));

  it('suppresses what a session was given before, and says how much', () =>
    withHarness(async (harness) => {
      await store(harness, RETRY_NOTE);
      const query = 'retry helper backs off exponentially with jitter and stops after six attempts';
      expect((await ask(harness, query, { suppressSeen: true })).findings).toHaveLength(1);
      const second = await ask(harness, query, { suppressSeen: true });
      expect(second).toMatchObject({ findings: [], block: '', omitted: { seen: 1 } });
      expect((await ask(harness, query, { suppressSeen: true, session: 'another' })).findings).toHaveLength(1);
    }));

  it('gives a nonce of its own each time and never one in the block', () =>
    withHarness(async (harness) => {
      await store(harness, RETRY_NOTE);
      const answers = [await ask(harness, RETRY_NOTE), await ask(harness, RETRY_NOTE)];
      const nonces = answers.map(({ nonce }) => nonce);
      expect(new Set(nonces).size).toBe(2);
      for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{16}$/);
      expect(answers[0]?.block).not.toContain(nonces[0]);
    }));

  it('M43: closed and superseded entries come back only when asked for, and the past as it was', () =>
    withHarness(async (harness) => {
      const old = await store(
        harness,
        'The job runner polls its table every 30 seconds because notify was unreliable.',
      );
      const before = harness.clock.now();
      harness.clock.advance(1_000);
      const renewed = await remember(harness.runtime, harness.context, {
        door: 'hooks',
        content: 'The job runner listens to notify and polls its table only once in 10 minutes.',
        supersedes: [old],
      });
      const query = 'job runner polls its table notify';
      const now = await ask(harness, query);
      expect(now.findings.map(({ id }) => id)).toEqual([renewed.id]);
      const both = await ask(harness, query, { includeClosed: true });
      expect(both.findings.map(({ id, state }) => [id, state])).toContainEqual([old, 'superseded']);
      const past = await ask(harness, query, { asOf: before });
      expect(past.findings.map(({ id }) => id)).toEqual([old]);
      expect(past.findings[0]?.content).toContain('every 30 seconds');
    }));

  it('filters by type, kind, tag, path and time', () =>
    withHarness(async (harness) => {
      const tagged = await remember(harness.runtime, harness.context, {
        door: 'hooks',
        content: RETRY_NOTE,
        type: 'code',
        tags: ['http'],
        files: ['src/net/retry.ts'],
      });
      harness.clock.advance(10_000);
      const later = harness.clock.now();
      const plain = await store(harness, RETRY_NOTE.replace('six', 'nine'));
      const query = 'retry helper backs off exponentially';
      const found = async (filters: Parameters<typeof ask>[2]) =>
        (await ask(harness, query, filters)).findings.map(({ id }) => id).sort();
      expect(await found({})).toEqual([tagged.id, plain].sort());
      expect(await found({ types: ['code'] })).toEqual([tagged.id]);
      expect(await found({ tags: ['http', 'x'] })).toEqual([tagged.id]);
      expect(await found({ path: 'src/net' })).toEqual([tagged.id]);
      expect(await found({ path: 'src/ne' })).toEqual([]);
      expect(await found({ since: later })).toEqual([plain]);
      expect(await found({ kinds: ['error_fix'] })).toEqual([]);
    }));
});

describe('recall under trouble', () => {
  const embedderOf = (behaviour: 'stalled' | 'failing' | 'missing') => createFakeEmbedder({ behaviour });

  /** A runtime with a clock that runs, over the harness's files. */
  function liveRuntime(harness: MemoryHarness, embedder: ReturnType<typeof createFakeEmbedder>): MemoryRuntime {
    return new MemoryRuntime({
      ...harness.runtime.deps,
      clock: systemClock,
      ids: createIdSource(() => systemClock.now()),
      embedder,
    });
  }

  it('M17, M80: a cold embedder costs at most the wait, the caller’s deadline at most itself; words still answer', () =>
    withHarness(async (harness) => {
      await store(harness, UPLOAD_NOTE);
      const runtime = liveRuntime(harness, embedderOf('stalled'));
      const request = {
        door: 'memory',
        text: 'uploads failed silently at the nginx proxy client_max_body_size',
      } as const;
      const cold = await recall(runtime, harness.context, request);
      expect(cold).toMatchObject({ status: 'degraded', mode: 'lexical', degraded: { reason: 'embedder_warming' } });
      expect(cold.findings).toHaveLength(1);
      expect(cold.tookMs).toBeGreaterThanOrEqual(380);
      expect(cold.tookMs).toBeLessThan(2_500);
      const hurried = await recall(runtime, harness.context, { ...request, deadlineMs: 100 });
      expect(hurried).toMatchObject({ status: 'degraded', degraded: { reason: 'deadline' } });
      expect(hurried.findings).toHaveLength(1);
      expect(hurried.tookMs).toBeLessThan(750);
      await runtime.close();
    }));

  it('M66: missing weights and a failing worker are said with a repair, and picked up without a restart', () =>
    withHarness(async (harness) => {
      await store(harness, UPLOAD_NOTE);
      const embedder = embedderOf('missing');
      const runtime = liveRuntime(harness, embedder);
      const query = {
        door: 'memory',
        text: 'uploads failed silently at the nginx proxy client_max_body_size',
      } as const;
      expect((await recall(runtime, harness.context, query)).degraded).toMatchObject({
        reason: 'embedder_missing',
        repair: { command: expect.stringContaining('cairn-minilm') },
      });
      embedder.behave('failing');
      expect((await recall(runtime, harness.context, query)).degraded?.reason).toBe('embedder_failed');
      embedder.behave('ready');
      expect(await recall(runtime, harness.context, query)).toMatchObject({ status: 'ok', mode: 'hybrid' });
      await runtime.close();
    }));

  it('M15: one transient fault is retried after 500 ms, two in a row are `unavailable` with the exact notice', () =>
    withHarness(async (harness) => {
      await store(harness, RETRY_NOTE);
      let faults = 1;
      const runtime = new MemoryRuntime({
        ...harness.runtime.deps,
        locate: async (context, options) => {
          if (faults > 0) {
            faults -= 1;
            throw new CairnError('io_error', 'the disk hiccuped');
          }
          return harness.runtime.deps.locate(context, options);
        },
      });
      const startedAt = harness.clock.now();
      const answer = await recall(runtime, harness.context, { door: 'hooks', text: RETRY_NOTE });
      expect(answer).toMatchObject({ status: 'ok', attempts: 2 });
      expect(harness.clock.now() - startedAt).toBe(500);
      faults = 3;
      const failed = await recall(runtime, harness.context, { door: 'hooks', text: RETRY_NOTE });
      expect(failed).toMatchObject({
        status: 'unavailable',
        code: 'io_error',
        attempts: 2,
        notice: '[ruvector] Warning: recall unavailable after retry',
      });
      expect(faults).toBe(1);
      faults = 2;
      const labelled = await recall(runtime, harness.context, { door: 'memory', text: RETRY_NOTE });
      expect(labelled.notice).toBe('[cairn] Warning: recall unavailable after retry');
      await runtime.close();
    }));

  it('M16: what no retry can mend is answered at once', () =>
    withHarness(async (harness) => {
      const broken = new MemoryRuntime({
        ...harness.runtime.deps,
        locate: async () => {
          throw new CairnError('permission_denied', 'this folder may not be read');
        },
      });
      const startedAt = harness.clock.now();
      const answer = await recall(broken, harness.context, { door: 'memory', text: 'anything' });
      expect(answer).toMatchObject({ status: 'unavailable', code: 'permission_denied', attempts: 1 });
      expect(harness.clock.now()).toBe(startedAt);
      const lost = new MemoryRuntime({
        ...harness.runtime.deps,
        locate: async () => {
          throw new CairnError('no_project', 'no project here');
        },
      });
      const nowhere = await recall(lost, harness.context, { door: 'memory', text: 'anything' });
      expect(nowhere).toMatchObject({ status: 'no_project', attempts: 1 });
      expect(nowhere.notice).toBeUndefined();
    }));

  it('M65: vectors of another model are never compared; the answer says what is covered', () =>
    withHarness(async (harness) => {
      await store(harness, UPLOAD_NOTE);
      const other = harness.another({ embedder: createFakeEmbedder({ revision: '2' }), readOnly: true });
      const answer = await ask(other, 'uploads failed silently at the nginx proxy client_max_body_size');
      expect(answer.coverage).toEqual({ entries: 1, withVectors: 0 });
      expect(answer.findings[0]?.match).toBe('lexical');
      expect(answer).toMatchObject({ status: 'degraded', degraded: { reason: 'vectors_partial' } });
      await other.close();
    }));

  it('recalls write nothing by themselves; a flush writes counters and no query text', () =>
    withHarness(async (harness) => {
      const id = await store(harness, RETRY_NOTE);
      await ask(harness, 'retry helper backs off exponentially zebra-secret-query');
      const [memory] = await harness.runtime.opened();
      const count = () => memory?.store.db.get<{ n: number }>('SELECT COUNT(*) AS n FROM recall_log')?.n;
      expect(count()).toBe(0);
      if (memory !== undefined) await flushRecalls(memory);
      expect(count()).toBe(1);
      const row = memory?.store.db.get<Record<string, unknown>>('SELECT * FROM recall_log');
      expect(JSON.stringify(row)).not.toContain('zebra');
      const usage = memory?.store.db.get<{ recalled: number }>(
        'SELECT u.recalled FROM usage u JOIN entry_identity i ON i.key = u.entry_key WHERE i.id = ?',
        [id],
      );
      expect(usage?.recalled).toBe(1);
      if (memory !== undefined) await flushRecalls(memory);
      expect(count()).toBe(1);
    }));
});
