import { expect, it, onTestFinished } from 'vitest';
import { forget, getEntries, remember } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness, type MemoryHarness } from '../support/harness.ts';

const NOTE = 'The staging cluster restarts each Sunday at 03:00 UTC, so load tests must not span that window.';

function harness(): MemoryHarness {
  const made = createHarness(temporaryFolder());
  onTestFinished(made.close);
  return made;
}

it('takes a small correction of the entry that it replaces', async () => {
  const { runtime, context } = harness();
  const first = await remember(runtime, context, { door: 'hooks', content: NOTE });
  const corrected = await remember(runtime, context, {
    door: 'hooks',
    content: `Remember: ${NOTE}`,
    supersedes: [first.id ?? ''],
  });
  expect(corrected).toMatchObject({ status: 'stored', total: 1 });
  const { entries } = await getEntries(runtime, context, { ids: [first.id ?? ''] });
  expect(entries[0]).toMatchObject({ state: 'superseded', superseded_by: corrected.id });
});

it('replaces nothing that was forgotten: a tool could bring it back that way', async () => {
  const { runtime, context } = harness();
  const first = await remember(runtime, context, { door: 'hooks', content: NOTE });
  await forget(runtime, context, { ids: [first.id ?? ''], mode: 'retract' });
  const answer = await remember(runtime, context, {
    door: 'hooks',
    content: 'The release branch is cut each Friday noon and frozen until Monday for the translators.',
    supersedes: [first.id ?? ''],
  });
  expect(answer).toMatchObject({ status: 'rejected', code: 'not_found', field: 'supersedes' });
});
