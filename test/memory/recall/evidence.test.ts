import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { recordOutcome } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness, type MemoryHarness } from '../support/harness.ts';
import { ask, fill, probe, readOwnData, store } from '../support/notes.ts';

const TS2345 = `ERROR-FIX: error TS2345: Argument of type 'string' is not assignable to parameter of type 'Currency' | FIX: parse the code with toCurrency before calling charge`;
const TS2339 = `ERROR-FIX: error TS2339: Property 'locale' does not exist on type 'Settings' | FIX: regenerate the settings types with npm run codegen`;
const EADDRINUSE = `ERROR-FIX: Error: listen EADDRINUSE: address already in use 127.0.0.1:4410 | FIX: kill the stale dev server or bind port 0 in tests`;

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

/** Words alone: what is found does not depend on any vector. */
const LEXICAL = () => ({ embedder: createFakeEmbedder({ behaviour: 'missing' as const }) });

describe('evidence', () => {
  it('M73: an exact signature comes first with 0.95, before an entry that reads more like the query', () =>
    withHarness(async (harness) => {
      const fix = await store(harness, EADDRINUSE);
      await store(
        harness,
        'Error listen EADDRINUSE address already in use happened on every port of the dev server address list in use already.',
      );
      const query = 'Error: listen EADDRINUSE: address already in use 127.0.0.1:9999';
      const { findings, query: searched } = await ask(harness, query, { error: query, workflow: 'debug' });
      expect(searched.signature).toBeDefined();
      expect(findings[0]).toMatchObject({ id: fix, score: 0.95, match: 'signature' });
      expect(findings[0]?.caution).toBeDefined();
    }));

  it('M72: an error-fix entry between 0.40 and 0.5 is given to an error query and kept from a plan', () =>
    withHarness(async (harness) => {
      const id = await store(harness, TS2345);
      const told = ['charge', 'currency', 'argument', 'string', 'parse', 'code', 'parameter', 'assignable'];
      const untold = ['invoice', 'customers', 'monthly', 'ledger', 'rounding', 'export'];
      const queries = told.flatMap((_, n) =>
        untold.map((__, m) => [...told.slice(0, n + 1), ...untold.slice(0, m)].join(' ')),
      );
      for (const text of queries) {
        const plan = await ask(harness, text, { workflow: 'plan' });
        const score = plan.nearMiss?.score ?? 0;
        if (score < 0.4 || score >= 0.5) continue;
        expect(plan).toMatchObject({ status: 'below_floor', floors: { error_fix: 0.5 }, filteredCount: 1 });
        const debug = await ask(harness, text, { workflow: 'debug' });
        expect(debug.findings[0]).toMatchObject({ id, score, floor: 0.4 });
        return;
      }
      expect.fail('no text scored between the two floors');
    }));

  it('M74: names are found by their parts, codes exactly, slips by trigram', () =>
    withHarness(async (harness) => {
      const parse = await store(
        harness,
        'parseDuration in src/time/duration.ts accepts ISO-8601 durations only; plain numbers were rejected on purpose.',
      );
      const [first, second] = [await store(harness, TS2345), await store(harness, TS2339)];
      await store(harness, 'The billing exporter writes Parquet since March and keeps golden files under fixtures.');
      expect((await probe(harness, 'parse duration')).results[0]?.id).toBe(parse);
      expect((await probe(harness, 'TS2345')).results[0]?.id).toBe(first);
      expect((await probe(harness, 'TS2339')).results[0]?.id).toBe(second);
      const slip = await probe(harness, 'parseDuraton');
      expect(slip.results[0]).toMatchObject({ id: parse, match: 'lexical' });
    }, LEXICAL()));

  it('M75: other languages are found by their own words and by nothing else', () =>
    withHarness(async (harness) => {
      const chinese = await store(harness, '数据库连接池的上限是八个，增加工作进程之前必须修改配置文件。');
      const german = await store(
        harness,
        'Die Nachtsicherung scheitert, wenn der Schlüsselbund der Testumgebung gesperrt ist.',
      );
      await store(harness, 'Feature flags are read once at boot and never hot reloaded, see config/flags.yaml.');
      expect((await ask(harness, '数据库连接池的上限')).findings[0]).toMatchObject({ id: chinese, match: 'lexical' });
      expect((await ask(harness, 'Nachtsicherung Schlüsselbund gesperrt')).findings[0]?.id).toBe(german);
      for (const query of [
        '今天天气很好我们去公园散步',
        'как приготовить борщ с мясом',
        '京都の紅葉はいつが見頃ですか',
      ]) {
        const answer = await ask(harness, query);
        expect(answer.findings, query).toEqual([]);
      }
    }));

  it(
    'M70: an unrelated query finds nothing among 20 and 1,000 notes, however it ranks',
    () =>
      withHarness(async (harness) => {
        const { notes } = readOwnData<{ notes: { content: string }[] }>('own20.json');
        for (const { content } of notes) await store(harness, content);
        expect((await ask(harness, 'medieval castle siege tactics')).findings).toEqual([]);
        await fill(
          harness,
          Array.from({ length: 980 }, (_, n) => `Module ${n} of the exporter writes file ${n} to bucket ${n % 7}.`),
        );
        const answer = await ask(harness, 'medieval castle siege tactics');
        expect(answer.findings).toEqual([]);
        expect(answer.entriesInScope).toBe(1_000);
        // M76: a word of every note has nothing to choose by.
        for (const word of ['exporter', 'bucket', 'module']) {
          expect((await ask(harness, word)).findings, word).toEqual([]);
          expect((await probe(harness, word)).results[0]?.score ?? 0, word).toBeLessThanOrEqual(0.39);
        }
      }),
    120_000,
  );

  it('shows the other fixes of the same error, and puts one that failed twice behind them', () =>
    withHarness(async (harness) => {
      const first = await store(harness, EADDRINUSE);
      harness.clock.advance(1_000);
      const second = await store(
        harness,
        EADDRINUSE.replace(
          'kill the stale dev server or bind port 0 in tests',
          'set PORT to another number in .env.local',
        ),
      );
      const query = { error: 'Error: listen EADDRINUSE: address already in use 127.0.0.1:4410', workflow: 'debug' };
      const before = await ask(harness, '', query);
      expect(before.findings.map(({ id }) => id).sort()).toEqual([first, second].sort());
      expect(before.findings[0]?.alternatives).toHaveLength(1);
      const leader = before.findings[0]?.id ?? '';
      for (const session of ['a', 'b']) {
        await recordOutcome(harness.runtime, harness.context, { id: leader, verdict: 'failed', session });
      }
      const after = await ask(harness, '', query);
      expect(after.findings.map(({ id }) => id)).toEqual([leader === first ? second : first, leader]);
      expect(after.findings[1]?.suspect).toBe(true);
    }));
});
