/**
 * Acknowledged writes: one store whose server is killed (SIGKILL) at random moments under load, again and again, and
 * one store that 16 processes write to at once. Needs `npm run build`. `npm run bench:durability`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyDatabase } from '../src/storage/index.ts';
import { cairnServer } from './memory-servers/cairn.ts';
import { startServer } from './memory-servers/session.ts';
import { measureWriters, type Writing } from './memory-servers/writers.ts';
import { type BenchmarkOptions, runBenchmark } from './support/benchmark.ts';
import { temporaryFolder } from './support/folders.ts';
import { seededRandom } from './support/random.ts';
import { figure } from './support/stats.ts';

const FULL = { kills: 1_000, verifyEach: 100, writers: 16, notesEach: 200 };
const SMALL = { kills: 8, verifyEach: 4, writers: 4, notesEach: 10 };
/** Writes in flight when the kill comes. */
const IN_FLIGHT = 4;
/** A kill comes at most so many milliseconds after the first acknowledged write. */
const KILL_WITHIN_MS = 150;

interface Kills {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged notes that are not in the store. */
  readonly missing: number;
  readonly integrityFaults: number;
  /** Starts that found fewer entries than were acknowledged before. */
  readonly emptyStarts: number;
  readonly seconds: number;
}

interface Answer {
  readonly stored: boolean;
  readonly total: number;
}

/** Every content that the store holds now, by the program's own export. */
function readContents(program: string, folder: string, environment: Readonly<Record<string, string>>): Set<string> {
  const file = join(temporaryFolder(), 'export.json');
  execFileSync(process.execPath, [program, 'memory', 'export', '--format', 'ruvector', file, '--json'], {
    cwd: folder,
    env: environment,
    stdio: 'pipe',
  });
  const exported = JSON.parse(readFileSync(file, 'utf8')) as { memories: { content: string }[] };
  return new Set(exported.memories.map(({ content }) => content));
}

async function measureKills({ kills, verifyEach }: typeof FULL, log: BenchmarkOptions['log']): Promise<Kills> {
  const server = cairnServer();
  const [program = ''] = server.serverArguments;
  const folder = temporaryFolder();
  await server.prepareProject(folder);
  // The model has no part in durability, and without it there are ten times as many writes between two kills.
  mkdirSync(join(folder, '.cairn'));
  writeFileSync(join(folder, '.cairn', 'config.json'), '{"embedder": "none"}\n');
  const random = seededRandom(42);
  const acknowledged = new Set<string>();
  let integrityFaults = 0;
  let emptyStarts = 0;
  let number = 0;
  const start = performance.now();
  for (let kill = 1; kill <= kills; kill++) {
    const session = startServer(server, folder);
    await session.open();
    const known = acknowledged.size;
    let first: ((value: unknown) => void) | undefined;
    const acknowledgedOne = new Promise((resolve) => {
      first = resolve;
    });
    let ended = false;
    const write = async (): Promise<void> => {
      while (!ended) {
        const content = `Kill test note ${number++}: the worker in src/job-${number}.ts wrote row ${number * 7} before the process went away.`;
        try {
          const answer = await session.call<Answer>('hooks_remember', { content });
          if (answer.stored) acknowledged.add(content);
          if (answer.total < known) emptyStarts += 1;
        } catch {
          // Killed while it waited: nobody was told that it is stored.
          ended = true;
        }
        first?.(undefined);
      }
    };
    const writers = Array.from({ length: IN_FLIGHT }, write);
    await acknowledgedOne;
    await sleep(random() * KILL_WITHIN_MS);
    await session.kill();
    await Promise.all(writers);
    if (kill % verifyEach === 0 || kill === kills) {
      const { ok } = await verifyDatabase(join(folder, '.cairn', 'memory.db'));
      if (!ok) integrityFaults += 1;
      log(`${kill} kills, ${acknowledged.size} acknowledged, ${integrityFaults} integrity faults`);
    }
  }
  const kept = readContents(program, folder, server.environment);
  const missing = [...acknowledged].filter((content) => !kept.has(content)).length;
  return {
    kills,
    acknowledged: acknowledged.size,
    missing,
    integrityFaults,
    emptyStarts,
    seconds: (performance.now() - start) / 1000,
  };
}

await runBenchmark('durability', 'Acknowledged writes', async ({ small, log }) => {
  const scale = small ? SMALL : FULL;
  const kills = await measureKills(scale, log);
  log(`${scale.writers} writers × ${scale.notesEach}`);
  const writing: Writing = await measureWriters(cairnServer(), scale.writers, scale.notesEach);
  const expected = scale.writers * scale.notesEach;
  const whole =
    kills.missing === 0 &&
    kills.integrityFaults === 0 &&
    kills.emptyStarts === 0 &&
    writing.kept === expected &&
    writing.errors === 0;
  // Not a matter of speed: a run that lost anything fails.
  if (!whole) process.exitCode = 1;
  return {
    tables: [
      {
        title: 'Killed at random moments, one store throughout',
        columns: ['kills', 'acknowledged', 'missing', 'integrity faults', 'empty starts', 'seconds'],
        rows: [
          [
            kills.kills,
            kills.acknowledged,
            kills.missing,
            kills.integrityFaults,
            kills.emptyStarts,
            figure(kills.seconds),
          ],
        ],
      },
      {
        title: 'Processes that write at once',
        columns: ['processes', 'writes', 'acknowledged', 'readable', 'errors', 'seconds'],
        rows: [
          [writing.writers, expected, writing.acknowledged, writing.kept, writing.errors, figure(writing.seconds)],
        ],
      },
    ],
    figures: { kills, writing },
  };
});
