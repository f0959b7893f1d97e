import { fork } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { startBackground } from '../../../src/memory/health/background.ts';
import { listMemoryBackups } from '../../../src/memory/health/restore.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { useHarness } from '../exchange/folder.ts';
import type { MemoryHarness } from '../support/harness.ts';

const start = useHarness();
const DAY_MS = 24 * 60 * 60 * 1000;

const say = (harness: MemoryHarness, n: number, more: object = {}) =>
  remember(harness.runtime, harness.context, {
    door: 'hooks',
    content: `Note ${n}: the module src/part${n}.ts needs option --level=${n} since release 1.${n}.`,
    ...more,
  });

async function dbOf(harness: MemoryHarness) {
  const { memory } = await harness.runtime.forRead(harness.context, {});
  if (memory === undefined) throw new Error('no store');
  return memory.store.db;
}

const count = async (harness: MemoryHarness, table: string): Promise<number> =>
  (await dbOf(harness)).get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? -1;

describe('the background', () => {
  it('works after calls and stays away from a project that nobody uses', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await say(harness, 1);
    embedder.behave('ready');
    const background = startBackground(harness.runtime, { times: { afterUseMs: 5, houseMs: 60_000 } });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(embedder.embedded.length).toBe(0);
    await recall(harness.runtime, harness.context, { door: 'hooks', text: '?!' });
    await expect.poll(() => count(harness, 'vector')).toBe(1);
    await background.stop();
  });

  it('writes the recalls down that happened since', async () => {
    const harness = start();
    await say(harness, 1);
    const background = startBackground(harness.runtime);
    await recall(harness.runtime, harness.context, { door: 'hooks', text: 'module part1 option level' });
    expect(await count(harness, 'recall_log')).toBe(0);
    await background.runNow();
    expect(await count(harness, 'recall_log')).toBe(1);
    await background.stop();
  });

  it('prunes what is past its time, and nothing else', async () => {
    const harness = start();
    await say(harness, 1, { eventId: 'event-1' });
    await remember(harness.runtime, harness.context, {
      door: 'memory',
      source: 'review',
      signal: 'p2',
      context: 'In src/api/list.ts of the server',
      insight: 'the query in listUsers() reads every row of the table',
      action: 'add a limit to listUsers() before the next release is cut',
    });
    const background = startBackground(harness.runtime);
    const round = async (): Promise<number[]> => {
      await recall(harness.runtime, harness.context, { door: 'hooks', text: 'module part1 option level' });
      await background.runNow();
      return [await count(harness, 'idempotency'), await count(harness, 'pending'), await count(harness, 'recall_log')];
    };
    expect(await round()).toEqual([1, 1, 1]);
    harness.clock.advance(13 * DAY_MS);
    expect(await round()).toEqual([1, 1, 2]);
    harness.clock.advance(2 * DAY_MS);
    expect(await round()).toEqual([1, 0, 3]);
    harness.clock.advance(16 * DAY_MS);
    expect(await round()).toEqual([0, 0, 4]);
    harness.clock.advance(75 * DAY_MS);
    expect(await round()).toEqual([0, 0, 2]);
    expect(await count(harness, 'entry')).toBe(1);
    await background.stop();
  });

  it('makes one backup a day, when there was a change', async () => {
    const harness = start();
    await say(harness, 1);
    const background = startBackground(harness.runtime);
    const round = async (): Promise<number> => {
      await harness.runtime.forRead(harness.context, {});
      await background.runNow();
      return (await listMemoryBackups(harness.runtime, harness.context, {})).backups.length;
    };
    expect(await round()).toBe(1);
    expect(await round()).toBe(1);
    await background.stop();
  });

  it('is over within 2 s even when the embedder does not answer', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await say(harness, 1);
    embedder.behave('stalled');
    const background = startBackground(harness.runtime);
    await harness.runtime.forRead(harness.context, {});
    const round = background.runNow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await background.stop();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await round;
  });

  it('goes on after a failure of the embedder', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'missing' });
    const harness = start({ embedder });
    await say(harness, 1);
    embedder.behave('failing');
    const background = startBackground(harness.runtime);
    await harness.runtime.forRead(harness.context, {});
    await background.runNow();
    embedder.behave('ready');
    await harness.runtime.forRead(harness.context, {});
    await background.runNow();
    expect(await count(harness, 'vector')).toBe(1);
    await background.stop();
  });

  it('does not keep a process alive', async () => {
    const harness = start();
    const child = fork(new URL('./background-child.ts', import.meta.url), [harness.project], {
      execArgv: ['--import', 'tsx'],
      silent: true,
    });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
  }, 60_000);
});
