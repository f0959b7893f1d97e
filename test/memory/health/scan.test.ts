import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backUp, recall, remember, scanOldRows } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness } from '../support/harness.ts';

const NOTE =
  'The deploy script reads its key from the vault and never from the shell profile of the person who runs it.';

it('M112 finds a secret in an old row and takes it out of store, log and backups', async () => {
  // Put together here, so that no scanner takes this file for a leak.
  const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
  const harness = createHarness(temporaryFolder());
  onTestFinished(harness.close);
  const { runtime, context, project } = harness;
  const { id } = await remember(runtime, context, { door: 'hooks', content: NOTE });
  const { memory } = await runtime.forWrite(context, {});
  await memory.store.write((db) => db.run('UPDATE revision SET text = text || ?', [` Token ${secret}`]));
  const backup = await backUp(runtime, memory, 'manual');

  expect(await scanOldRows(runtime, context, {})).toMatchObject({ fixed: false, entries: [{ id, secrets: 1 }] });
  expect(await scanOldRows(runtime, context, { fix: true })).toMatchObject({ fixed: true, backupsRewritten: 1 });
  expect(await scanOldRows(runtime, context, { fix: true })).toMatchObject({ fixed: false, entries: [] });
  const found = await recall(runtime, context, { door: 'hooks', text: 'deploy script key vault' });
  expect(found.results[0]?.content).toContain('[redacted:');
  await harness.close();
  for (const file of [join(project, '.cairn/memory.db'), backup?.path ?? '']) {
    expect(readFileSync(file).includes(secret), file).toBe(false);
  }
});
