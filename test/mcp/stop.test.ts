import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { openStore } from '../../src/storage/index.ts';
import { builtProgram } from '../support/program.ts';
import {
  cleanEnvironment,
  FIXTURE_SERVER,
  INITIALIZE,
  protocolLines,
  request,
  start,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** 7.12 asks for 2 s; tests on a busy machine allow five times that. A server that does not notice never ends. */
const GONE_MS = 10_000;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: there is no such process any more
    return false;
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  const end = Date.now() + GONE_MS;
  while (isRunning(pid)) {
    if (Date.now() > end) {
      process.kill(pid, 'SIGKILL');
      throw new Error(`process ${pid} was still there after ${GONE_MS} ms`);
    }
    await sleep(50);
  }
}

function startFixture(name: string) {
  const place = join(folder.path, name);
  execFileSync('mkdir', ['-p', place]);
  const running = start(typescript(FIXTURE_SERVER), { env: cleanEnvironment(folder.path, { FIXTURE_FOLDER: place }) });
  running.child.stdin.write(INITIALIZE.map((line) => `${line}\n`).join(''));
  const send = (line: string) => running.child.stdin.write(`${line}\n`);
  return { ...running, send, place };
}

async function within<T>(promise: Promise<T>): Promise<T> {
  const late = sleep(GONE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`not ended after ${GONE_MS} ms`);
  });
  return Promise.race([promise, late]);
}

describe('H5 M110 the server ends', () => {
  it('when its input ends, after it has answered what came before', async () => {
    const running = startFixture('input');
    running.send(request('tools/call', { name: 'fixture_slow', arguments: { ms: 200 } }, 7));
    running.child.stdin.end();
    const { stdout, code } = await within(running.ended);
    expect(code).toBe(0);
    expect(protocolLines(stdout).find(({ id }) => id === 7)).toMatchObject({
      result: { structuredContent: { done: true } },
    });
  });

  it('when its input ends in a call that takes too long, which is aborted', async () => {
    const running = startFixture('long');
    running.send(request('tools/call', { name: 'fixture_slow', arguments: { ms: 60_000 } }, 7));
    await running.seen('slow started');
    running.child.stdin.end();
    const { stderr, stdout } = await within(running.ended);
    expect(stderr).toContain('slow aborted');
    expect(protocolLines(stdout).some(({ id }) => id === 7)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('on %s in a write, with a whole store', async (signal) => {
    const running = startFixture(signal);
    running.send(request('tools/call', { name: 'fixture_write', arguments: { rows: 100_000 } }, 7));
    await running.seen('first row');
    running.child.kill(signal);
    const { code } = await within(running.ended);
    expect(code).toBe(0);
    const store = await openStore({
      path: join(running.place, 'fixture.db'),
      mode: 'existing',
      clock: systemClock,
      migrations: [{ version: 0, name: 'notes', apply: () => undefined }],
    });
    try {
      expect(store.db.get<{ integrity_check: string }>('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
      expect(store.db.get<{ rows: number }>('SELECT count(*) AS rows FROM note')?.rows).toBeGreaterThan(0);
    } finally {
      store.close();
    }
  });

  it('when nobody reads its output any more', async () => {
    const running = startFixture('output');
    await running.seen('"id":1');
    running.child.stdout.destroy();
    for (let id = 10; id < 20; id++) running.send(request('ping', {}, id));
    await within(new Promise((resolve) => running.child.on('exit', resolve)));
  });

  it('when its parent is killed while the input is held open elsewhere', async () => {
    const pipe = join(folder.path, 'held-open');
    execFileSync('mkfifo', [pipe]);
    // Both ends in this process: the server's input cannot end
    const held = openSync(pipe, 'r+');
    const script = `
      const { spawn } = require('node:child_process');
      const { openSync } = require('node:fs');
      const child = spawn(process.execPath, [${JSON.stringify(builtProgram())}, 'mcp'], { stdio: [openSync(${JSON.stringify(pipe)}, 'r'), 'ignore', 'inherit'] });
      console.log(child.pid);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['-e', script], { env: cleanEnvironment(folder.path) });
    try {
      const pid = Number(
        await new Promise<string>((resolve) =>
          parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
        ),
      );
      await sleep(1_500);
      expect(isRunning(pid)).toBe(true);
      parent.kill('SIGKILL');
      await waitUntilGone(pid);
    } finally {
      closeSync(held);
      parent.kill('SIGKILL');
    }
  });

  it('50 times in a row, leaving no process', async () => {
    const ended = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const codes: (number | null)[] = [];
        for (let turn = 0; turn < 10; turn++) {
          const running = start([builtProgram(), 'mcp'], { env: cleanEnvironment(folder.path) });
          running.child.stdin.write(INITIALIZE.map((line) => `${line}\n`).join(''));
          await running.seen('"id":1');
          running.child.stdin.end();
          codes.push((await within(running.ended)).code);
          expect(isRunning(running.child.pid ?? 0)).toBe(false);
        }
        return codes;
      }),
    );
    expect(ended.flat()).toEqual(Array.from({ length: 50 }, () => 0));
  }, 60_000);
});

describe('a cancelled call', () => {
  it('is aborted and not answered, and the next one is', async () => {
    const running = startFixture('cancel');
    running.send(request('tools/call', { name: 'fixture_slow', arguments: { ms: 60_000 } }, 7));
    await running.seen('slow started');
    running.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }));
    await running.seen('slow aborted');
    running.send(request('ping', {}, 8));
    await running.seen('"id":8');
    running.child.stdin.end();
    const { stdout } = await within(running.ended);
    expect(protocolLines(stdout).map(({ id }) => id)).toEqual([1, 8]);
  });
});
