import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { MEMORY_MIGRATIONS } from '../../src/memory/index.ts';
import { openStore } from '../../src/storage/index.ts';
import { createSandbox } from './support/run-cairn.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly fix?: string }[];
}

const NOTE = 'The staging cluster restarts each Sunday at 03:00 UTC, so load tests must not span that window.';

it('M67 finds nothing wrong with a healthy store and exits with 0', async () => {
  const { run } = createSandbox();
  await run(['remember', NOTE]);
  const outcome = await run(['doctor']);
  expect(outcome.stdout).toContain('integrity');
  expect(outcome.stdout).not.toContain('fault');
  expect(outcome.code).toBe(0);
});

it('M67 names a fault, says what to do, and exits with 1', async () => {
  const { run, project, json } = createSandbox();
  await run(['remember', NOTE]);
  const store = await openStore({
    path: join(project, '.cairn/memory.db'),
    mode: 'existing',
    clock: systemClock,
    migrations: MEMORY_MIGRATIONS,
  });
  await store.write((db) => db.run("UPDATE event SET actor = 'somebody else'"));
  store.close();
  const outcome = await run(['doctor']);
  expect(outcome.code).toBe(1);
  const { ok, checks } = await json<Diagnosis>(['doctor']);
  expect(ok).toBe(false);
  expect(checks.find(({ name }) => name === 'log')).toMatchObject({ state: 'fault' });
});

it('rebuilds the search tables from the log with equal answers', async () => {
  const { run, json } = createSandbox();
  await run(['remember', NOTE]);
  const before = await json<{ findings: unknown[] }>(['recall', '--lexical', 'staging cluster restarts']);
  expect(await run(['doctor', '--rebuild'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Rebuilt') });
  const after = await json<{ findings: unknown[] }>(['recall', '--lexical', 'staging cluster restarts']);
  expect(after.findings).toEqual(before.findings);
});

it('M106 recovers an emptied store from its backup, says so, and keeps the original', async () => {
  const { run, json, project } = createSandbox();
  await run(['remember', NOTE]);
  await run(['memory', 'backup']);
  writeFileSync(join(project, '.cairn/memory.db'), '');
  const found = await run(['recall', 'staging cluster restarts on sunday']);
  expect(found.stdout).toContain('staging cluster');
  const { scope } = await json<{ scope: { recovered?: unknown } }>(['status']);
  expect(scope.recovered).toBeDefined();
  expect(existsSync(join(project, '.cairn/quarantine'))).toBe(true);
  await run(['doctor', '--acknowledge']);
  expect((await json<{ scope: { recovered?: unknown } }>(['status'])).scope.recovered).toBeUndefined();
});
