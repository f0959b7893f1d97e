/**
 * Process start to `tools/list` answered, beside a bare Node.js on the same machine, in turns: with the code cache as
 * every start but the first has it, without one, in both protocol eras. Needs `npm run build`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { alternate } from './support/alternate.ts';
import { runBenchmark } from './support/benchmark.ts';
import { ROOT, temporaryFolder } from './support/folders.ts';
import { figure, summarise } from './support/stats.ts';

const PROGRAM = join(ROOT, 'dist/cli.js');
/** Targets: at most so many milliseconds, and so many times a bare start (medians). */
const LIMIT_MS = 300;
const LIMIT_RATIO = 7;

function message(id: number | undefined, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params })}\n`;
}

const CLIENT = { name: 'cairn-bench', version: '1' };
const LEGACY = [
  message(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT }),
  message(undefined, 'notifications/initialized', {}),
  message(2, 'tools/list', {}),
].join('');
const MODERN = message(2, 'tools/list', {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  },
});

/** Milliseconds from the spawn to the first byte after which the list is complete. */
async function timeToList(home: string, input: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env: { PATH: process.env['PATH'] ?? '', HOME: home } });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.write(input);
  const took = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.split('\n').some((line) => line.includes('"id":2') && line.endsWith('}')))
        resolve(performance.now() - start);
    });
    child.once('exit', () => reject(new Error(`the server ended before it listed its tools: ${output}`)));
  });
  child.stdin.end();
  await ended;
  return took;
}

function timeToExit(argv: readonly string[], home: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('exit', () => resolve(performance.now() - start)));
}

await runBenchmark('cold-start', 'Start of the server', async ({ small, log }) => {
  const rounds = small ? 2 : 20;
  const folder = temporaryFolder();
  const warm = join(folder, 'warm');
  const cold = join(folder, 'cold');
  mkdirSync(warm);
  mkdirSync(cold);
  log(`filling the code cache, then ${rounds} rounds`);
  await timeToList(warm, LEGACY);
  await timeToExit([PROGRAM, '--version'], warm);
  const samples = await alternate(rounds, {
    bare: () => timeToExit(['-e', '0'], warm),
    legacy: () => timeToList(warm, LEGACY),
    modern: () => timeToList(warm, MODERN),
    version: () => timeToExit([PROGRAM, '--version'], warm),
    first: () => {
      rmSync(join(cold, '.cache'), { recursive: true, force: true });
      return timeToList(cold, LEGACY);
    },
  });
  const bare = summarise(samples.bare);
  const rows = (
    [
      ['bare `node -e 0`, to its end', 'bare'],
      ['server, 2025-11-25 (initialize, tools/list)', 'legacy'],
      ['server, 2026-07-28 (tools/list alone)', 'modern'],
      ['server, first start of all: nothing compiled before', 'first'],
      ['`cairn --version`, to its end', 'version'],
    ] as const
  ).map(([what, name]) => {
    const { median, p95, max } = summarise(samples[name]);
    return [what, figure(median), figure(p95), figure(max), figure(median / bare.median)];
  });
  const server = summarise(samples.legacy);
  const met = server.median <= LIMIT_MS && server.median <= LIMIT_RATIO * bare.median;
  const verdict = `Target: at most ${LIMIT_MS} ms and ${LIMIT_RATIO} times a bare start: ${met ? 'met' : 'missed'}.`;
  return {
    tables: [
      {
        title: 'Milliseconds from the start of the process',
        columns: ['start', 'median', 'p95', 'max', '× bare'],
        rows,
        notes: [verdict],
      },
    ],
    figures: { rounds, limitMs: LIMIT_MS, limitRatio: LIMIT_RATIO, met, samples },
  };
});
