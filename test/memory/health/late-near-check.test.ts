import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { startBackground } from '../../../src/memory/health/background.ts';
import { diagnose, rebuildDerived } from '../../../src/memory/health/doctor.ts';
import { getEntries } from '../../../src/memory/lifecycle/get.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { useHarness } from '../exchange/folder.ts';
import type { MemoryHarness } from '../support/harness.ts';

const start = useHarness();

const first =
  'The nightly import in src/import.ts stops when the token is older than 12 hours; renew it before the run.';
const again = `Remember: ${first}`;

/** Makes the word index unreadable, as damage of its pages does, while new rows can still be added. */
function spoilIndex(harness: MemoryHarness): void {
  const { DatabaseSync } = createRequire(import.meta.url)(
    '@photostructure/sqlite',
  ) as typeof import('@photostructure/sqlite');
  const db = new DatabaseSync(join(harness.project, '.cairn', 'memory.db'));
  db.enableDefensive(false);
  db.exec('DELETE FROM entry_fts_data WHERE id > 10');
  db.close();
}

const queue = async (harness: MemoryHarness) =>
  (await getEntries(harness.runtime, harness.context, { queue: 'near_duplicates' })) as unknown as {
    readonly total: number;
  };

describe('a near check that cannot run', () => {
  it('M85 stores after the identity check alone, checks the pair later, and removes nothing', async () => {
    // Without vectors the words are the only index there is.
    const harness = start({ embedder: createFakeEmbedder({ behaviour: 'missing' }) });
    const { runtime, context } = harness;
    await remember(runtime, context, { door: 'hooks', content: first });
    expect(await remember(runtime, context, { door: 'hooks', content: again, dryRun: true })).toMatchObject({
      status: 'near_duplicate',
    });
    spoilIndex(harness);
    const answer = await remember(runtime, context, { door: 'hooks', content: again });
    expect(answer).toMatchObject({ status: 'stored', dedup: { decision: 'exact_only' } });
    // Exact identity holds all the same.
    expect(await remember(runtime, context, { door: 'hooks', content: first })).toMatchObject({ status: 'merged' });
    expect((await queue(harness)).total).toBe(0);

    const sick = await diagnose(runtime, context, {});
    expect(sick.checks.find(({ name }) => name === 'integrity')).toMatchObject({ state: 'fault' });
    expect(sick.checks.find(({ name }) => name === 'near_checks')).toMatchObject({ state: 'warn' });

    // The background meets the damage, the store is recovered, and the next round makes up for the check.
    const background = startBackground(runtime);
    await expect
      .poll(async () => {
        await runtime.forRead(context, {});
        await background.runNow();
        return (await queue(harness)).total;
      })
      .toBeGreaterThan(0);
    const { memory } = await runtime.forRead(context, {});
    const row = memory?.store.db.get("SELECT score, decided FROM conflict WHERE relation = 'near'") as {
      score: number;
      decided: string | null;
    };
    expect(row.score).toBeGreaterThan(0.82);
    expect(row.decided).toBeNull();
    expect(memory?.store.db.get("SELECT COUNT(*) AS n FROM entry WHERE state = 'active'")).toEqual({ n: 2 });
    expect((await diagnose(runtime, context, {})).checks.find(({ name }) => name === 'near_checks')).toBeUndefined();
    await background.stop();
  });

  it('M85 uses the vectors alone where the words cannot be read', async () => {
    const harness = start();
    const { runtime, context } = harness;
    await remember(runtime, context, { door: 'hooks', content: first });
    spoilIndex(harness);
    expect(await remember(runtime, context, { door: 'hooks', content: again })).toMatchObject({
      status: 'near_duplicate',
    });
  });

  it('M85 is made up for when the search tables are rebuilt', async () => {
    const harness = start({ embedder: createFakeEmbedder({ behaviour: 'missing' }) });
    const { runtime, context } = harness;
    await remember(runtime, context, { door: 'hooks', content: first });
    spoilIndex(harness);
    await remember(runtime, context, { door: 'hooks', content: again });
    expect((await queue(harness)).total).toBe(0);
    expect(await rebuildDerived(runtime, context, {})).toMatchObject({ nearChecks: 1 });
    expect((await queue(harness)).total).toBeGreaterThan(0);
  });
});
