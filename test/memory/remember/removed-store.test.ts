import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recall, remember } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness } from '../support/harness.ts';

const NOTE = 'The staging cluster restarts each Sunday at 03:00 UTC, so load tests must not span that window.';

it('makes a new store where a person removed the old one under a running server', async () => {
  const { runtime, context, project, close } = createHarness(temporaryFolder());
  onTestFinished(close);
  await remember(runtime, context, { door: 'hooks', content: NOTE });
  rmSync(join(project, '.cairn'), { recursive: true });
  expect(await recall(runtime, context, { door: 'memory', text: 'staging cluster restarts' })).toMatchObject({
    status: 'empty',
  });
  expect(await remember(runtime, context, { door: 'hooks', content: NOTE })).toMatchObject({
    status: 'stored',
    total: 1,
  });
  expect(await recall(runtime, context, { door: 'memory', text: 'staging cluster restarts' })).toMatchObject({
    status: 'ok',
  });
});

it('keeps a store that is just being made while others already read', async () => {
  const { runtime, context, close } = createHarness(temporaryFolder());
  onTestFinished(close);
  const [stored] = await Promise.all([
    remember(runtime, context, { door: 'hooks', content: NOTE }),
    recall(runtime, context, { door: 'memory', text: 'staging cluster' }),
    recall(runtime, context, { door: 'hooks', text: 'staging cluster' }),
  ]);
  expect(stored).toMatchObject({ status: 'stored', total: 1 });
});
