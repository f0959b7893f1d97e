/** Cairn and ruvector in one run: finding again, writing together, being killed, size, start and memory. */
import { cairnServer } from './memory-servers/cairn.ts';
import { type Finding, measureFinding } from './memory-servers/finding.ts';
import { type Killing, measureKills } from './memory-servers/kills.ts';
import type { MemoryServer } from './memory-servers/memory-server.ts';
import { measureSize, type SizeFigures } from './memory-servers/sizes.ts';
import { measureWriters, type Writing } from './memory-servers/writers.ts';
import { ruvectorServer } from './peers/ruvector.ts';
import { type BenchmarkOptions, type ResultTable, runBenchmark } from './support/benchmark.ts';
import { figure } from './support/stats.ts';

interface Measured {
  readonly label: string;
  finding?: Finding;
  writing?: Writing;
  killing?: Killing;
  sizes: SizeFigures[];
}

const FULL = { writers: 4, notesEach: 50, kills: 12, notesBefore: 1_000, sizes: [0, 1_000, 10_000] };
const SMALL = { writers: 2, notesEach: 3, kills: 2, notesBefore: 100, sizes: [0, 200] };
const FULL_ROUNDS = { starts: 5, recalls: 40, remembers: 20 };
const SMALL_ROUNDS = { starts: 1, recalls: 3, remembers: 2 };

/** `--only cairn` or `--only ruvector` leaves the others out, for work on one side. */
function isWanted(label: string): boolean {
  const at = process.argv.indexOf('--only');
  return at < 0 || label.toLowerCase().startsWith(process.argv[at + 1] ?? '');
}

/** Says what is measured, then what came out: a full run takes long, and what it has found is not lost with it. */
async function step<T>(log: BenchmarkOptions['log'], what: string, measure: () => Promise<T>): Promise<T> {
  log(what);
  const result = await measure();
  log(`${what}: ${JSON.stringify(result)}`);
  return result;
}

async function measureServer(
  server: MemoryServer,
  sizesOnly: boolean,
  { small, log }: BenchmarkOptions,
): Promise<Measured> {
  const scale = small ? SMALL : FULL;
  const measured: Measured = { label: server.label, sizes: [] };
  const { label } = server;
  if (!sizesOnly) {
    const { writers, notesEach, kills, notesBefore } = scale;
    measured.finding = await step(log, `${label}: finding`, () => measureFinding(server, !small));
    measured.writing = await step(log, `${label}: writers`, () => measureWriters(server, writers, notesEach));
    measured.killing = await step(log, `${label}: kills`, () => measureKills(server, kills, notesBefore));
  }
  for (const notes of scale.sizes) {
    const rounds = small ? SMALL_ROUNDS : FULL_ROUNDS;
    measured.sizes.push(await step(log, `${label}: ${notes} notes`, () => measureSize(server, notes, rounds)));
  }
  return measured;
}

function findingTable(servers: readonly Measured[]): ResultTable {
  return {
    title: '20 notes, 20 paraphrases',
    columns: ['', 'first, same process', 'first, after restart', 'first, by command', 'of these ≥ 0.5', 'noise ≥ 0.5'],
    rows: servers.flatMap(({ label, finding }) =>
      finding === undefined
        ? []
        : [
            [
              label,
              `${finding.firstBefore} of 20`,
              `${finding.firstAfter} of 20`,
              finding.firstByCommand === undefined ? '' : `${finding.firstByCommand} of 20`,
              `${finding.overFloorAfter} of 20`,
              `${finding.noiseOverFloorAfter} of 5`,
            ],
          ],
    ),
    notes: [
      '`bench/data/own20.json`. "First": the right note is the first finding of `hooks_recall`. The columns on 0.5, the floor that agents use, are after the restart.',
      'ruvector runs with the original model in full precision in its own cache.',
    ],
  };
}

function durabilityTable(servers: readonly Measured[]): ResultTable {
  return {
    title: 'Writing together, and being killed',
    columns: ['', 'written together', 'kept', 'seconds', 'kills', 'stores destroyed', 'kills with loss'],
    rows: servers.flatMap(({ label, writing, killing }) =>
      writing === undefined || killing === undefined
        ? []
        : [
            [
              label,
              writing.acknowledged,
              writing.kept,
              figure(writing.seconds),
              killing.kills,
              killing.destroyed,
              killing.withLoss,
            ],
          ],
    ),
    notes: [
      'Server processes that write into one project at the same time, 50 notes each; "kept" is how many of the acknowledged notes are there afterwards.',
      'A kill (SIGKILL) comes with the first change of a store file during a write, or up to 3 ms later, in a store of 1,000 notes. Loss: a note acknowledged earlier is gone.',
      'What is kept is read by `cairn memory export`, and from the JSON file of ruvector.',
    ],
  };
}

function sizeTable(servers: readonly Measured[]): ResultTable {
  const memory = (value: number | undefined): string => (value === undefined ? '' : figure(value));
  return {
    title: 'Size, start and memory',
    columns: [
      '',
      'notes',
      'start to tools, ms',
      'to first recall, ms',
      'recall p50 / p95, ms',
      'remember p50 / p95, ms',
      'memory idle / after / peak, MB',
    ],
    rows: servers.flatMap(({ label, sizes }) =>
      sizes.map((size) => [
        label,
        size.notes.toLocaleString('en-US'),
        figure(size.toTools),
        figure(size.toFirstRecall),
        `${figure(size.recall.median)} / ${figure(size.recall.p95)}`,
        `${figure(size.remember.median)} / ${figure(size.remember.p95)}`,
        `${memory(size.idleMemory)} / ${memory(size.memory)} / ${memory(size.peakMemory)}`,
      ]),
    ),
    notes: [
      'Stores are filled by a seeded loader with synthetic notes of 600 characters and unit vectors, in the format of each program. "Hash vectors" is ruvector without a model. Times are what a client of the MCP server sees, embedding of the query included.',
      'Memory is the resident size of the server and its children (Linux).',
    ],
  };
}

await runBenchmark('beside-ruvector', 'Beside ruvector', async (options) => {
  const skipped: string[] = [];
  const servers: { server: MemoryServer; sizesOnly: boolean }[] = [];
  if (isWanted('cairn')) servers.push({ server: cairnServer(), sizesOnly: false });
  for (const vectors of ['model', 'hash'] as const) {
    const peer = isWanted('ruvector') ? ruvectorServer(vectors, options.log) : { skipped: 'ruvector: not asked for' };
    if ('skipped' in peer) skipped.push(peer.skipped);
    else servers.push({ server: peer, sizesOnly: vectors === 'hash' });
  }
  const measured: Measured[] = [];
  for (const { server, sizesOnly } of servers) measured.push(await measureServer(server, sizesOnly, options));
  return {
    tables: [findingTable(measured), durabilityTable(measured), sizeTable(measured)],
    figures: measured,
    skipped: [...new Set(skipped)],
  };
});
