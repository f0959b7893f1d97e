/**
 * What a recall and a remember cost as the store grows, without and with the model; the time to a first answer from the
 * start of the process, over MCP and on the command line; and the memory of the server. Needs `npm run build`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { resolveWeights } from '../src/cli/weights.ts';
import { createMiniLmEmbedder, type Embedder } from '../src/embedding/index.ts';
import { createIdSource, type RequestContext, systemClock } from '../src/kernel/index.ts';
import { MemoryRuntime, recall, remember } from '../src/memory/index.ts';
import { resolveProject } from '../src/project/index.ts';
import { cairnServer } from './memory-servers/cairn.ts';
import { seededProjects, startServer } from './memory-servers/session.ts';
import { type BenchmarkOptions, type ResultTable, runBenchmark } from './support/benchmark.ts';
import { ROOT, temporaryFolder } from './support/folders.ts';
import { createInstantEmbedder } from './support/instant-embedder.ts';
import { readProcessMemory } from './support/process-memory.ts';
import { seededRandom } from './support/random.ts';
import { seededNotes } from './support/seeded-notes.ts';
import { figure, summarise } from './support/stats.ts';

/** Entries → most milliseconds of a recall's p95, query embedding aside. */
const RECALL_LIMITS: readonly (readonly [entries: number, limitMs: number])[] = [
  [1_000, 10],
  [10_000, 30],
  [50_000, 45],
  [100_000, 60],
  [1_000_000, 150],
];
const REMEMBER_LIMIT = { entries: 50_000, p95Ms: 20 };
const CALLS = 60;
const QUERY_WORDS = 12;

/** Queries of words that the store has, frequent and rare ones as they come. */
function queries(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  return [...seededNotes(count, 99)].map(({ content }) => {
    const words = content
      .replace(/^.*?, /, '')
      .replace(/\.$/, '')
      .split(' ');
    return Array.from({ length: QUERY_WORDS }, () => words[Math.floor(random() * words.length)]).join(' ');
  });
}

function context(folder: string): RequestContext {
  return { signal: new AbortController().signal, surface: 'mcp', workingDirectory: folder, roots: [] };
}

function openRuntime(embedder: Embedder): MemoryRuntime {
  const home = temporaryFolder();
  return new MemoryRuntime({
    clock: systemClock,
    ids: createIdSource(() => systemClock.now()),
    embedder,
    locate: (where, options) => resolveProject(where, { ...options, home, temporaryRoot: join(home, 'tmp') }),
    userDataFolder: home,
    readOnly: false,
    embedWaitMs: 400,
    log: () => undefined,
    version: 'bench',
  });
}

function openModel(): Embedder {
  return createMiniLmEmbedder({
    resolveWeights,
    workerPath: join(ROOT, 'dist/embedding-worker.cjs'),
    clock: systemClock,
    cacheDirectory: temporaryFolder(),
  });
}

async function times(texts: readonly string[], body: (text: string) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (const text of texts) {
    const start = performance.now();
    await body(text);
    samples.push(performance.now() - start);
  }
  return samples;
}

interface InProcess {
  readonly firstRecall: number;
  readonly recall: readonly number[];
  readonly lexical: readonly number[];
  readonly withModel: readonly number[];
  readonly remember: readonly number[];
}

async function measureInProcess(folder: string, calls: number): Promise<InProcess> {
  const model = openModel();
  const space = model.space();
  if (space === undefined) throw new Error('the model weights are not installed');
  const where = context(folder);
  const asked = queries(calls, 11);
  const runtime = openRuntime(createInstantEmbedder(space));
  const search = (text: string): Promise<unknown> =>
    recall(runtime, where, { door: 'memory', text, deadlineMs: 10_000 });
  const [firstRecall = 0] = await times(['warm up the caches of this store'], search);
  const warm = await times(asked, search);
  const notes = [...seededNotes(calls, 5)].map(({ content }) => content);
  const stored = await times(notes, (content) => remember(runtime, where, { door: 'hooks', content }));
  await runtime.close();

  const real = openRuntime(model);
  await times(asked.slice(0, 3), (text) => recall(real, where, { door: 'memory', text, deadlineMs: 10_000 }));
  const withModel = await times(asked, (text) => recall(real, where, { door: 'memory', text, deadlineMs: 10_000 }));
  await real.close();

  const wordsOnly = openRuntime({ ...createInstantEmbedder(space), space: () => undefined, state: () => 'missing' });
  const lexical = await times(asked, (text) => recall(wordsOnly, where, { door: 'memory', text }));
  await wordsOnly.close();
  return { firstRecall, recall: warm, lexical, withModel, remember: stored };
}

/** Milliseconds until a command has ended. */
function timeCommand(
  argv: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, argv, { cwd: folder, env: { ...environment }, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', () => resolve(performance.now() - start)));
}

interface FromStart {
  readonly lexical: number[];
  readonly hybrid: number[];
  readonly commandLexical: number[];
  readonly commandHybrid: number[];
  readonly idleMb: number;
  readonly modelMb: number;
}

/** The first answer of a new process, and what it weighs then. */
async function measureFromStart(folder: string, rounds: number): Promise<FromStart> {
  const server = cairnServer();
  const program = join(ROOT, 'dist/cli.js');
  const [query = ''] = queries(1, 3);
  const found: FromStart = { lexical: [], hybrid: [], commandLexical: [], commandHybrid: [], idleMb: 0, modelMb: 0 };
  let idleMb = 0;
  let modelMb = 0;
  for (let round = -1; round < rounds; round++) {
    const start = performance.now();
    const process = startServer(server, folder);
    await process.open();
    idleMb = readProcessMemory(process.pid)?.resident ?? 0;
    let answer = await process.call<{ mode: string }>('memory_recall', { text: query, deadline_ms: 100 });
    const lexical = performance.now() - start;
    while (answer.mode !== 'hybrid')
      answer = await process.call<{ mode: string }>('memory_recall', { text: query, deadline_ms: 5_000 });
    const hybrid = performance.now() - start;
    modelMb = readProcessMemory(process.pid)?.resident ?? 0;
    await process.close();
    const commandLexical = await timeCommand(
      [program, 'recall', '--lexical', '--json', query],
      folder,
      server.environment,
    );
    const commandHybrid = await timeCommand([program, 'recall', '--json', query], folder, server.environment);
    // The first round fills the code cache.
    if (round < 0) continue;
    found.lexical.push(lexical);
    found.hybrid.push(hybrid);
    found.commandLexical.push(commandLexical);
    found.commandHybrid.push(commandHybrid);
  }
  return { ...found, idleMb, modelMb };
}

function verdict(value: number, limit: number | undefined): string {
  if (limit === undefined) return figure(value);
  return `${figure(value)} (${value <= limit ? 'of' : 'OVER'} ${limit})`;
}

async function measureEmbedding(calls: number): Promise<Record<string, number>> {
  const embedder = openModel();
  const words = (count: number): string =>
    Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 'queue' : 'worker')).join(' ');
  const result: Record<string, number> = {};
  for (const tokens of [16, 64]) {
    const text = words(tokens - 2);
    await embedder.embed([text], { priority: 'query' });
    result[tokens] = summarise(
      await times(
        Array.from({ length: calls }, () => text),
        (one) => embedder.embed([one], { priority: 'query' }),
      ),
    ).median;
  }
  await embedder.close();
  return result;
}

async function measureAll({ small, log }: BenchmarkOptions) {
  const sizes = small
    ? RECALL_LIMITS.slice(0, 1)
    : RECALL_LIMITS.filter(([entries]) => entries <= 100_000 || process.argv.includes('--million'));
  const calls = small ? 5 : CALLS;
  const rounds = small ? 1 : 7;
  const server = cairnServer();
  const costs: (string | number)[][] = [];
  const starts: (string | number)[][] = [];
  const figures: Record<string, unknown> = {};
  for (const [entries, limitMs] of sizes) {
    log(`${entries} entries: filling`);
    const folder = (await seededProjects(server, entries))();
    log(`${entries} entries: first answers`);
    const fromStart = await measureFromStart(folder, rounds);
    log(`${entries} entries: calls`);
    const inProcess = await measureInProcess(folder, calls);
    const [warm, lexical, withModel, stored] = [
      inProcess.recall,
      inProcess.lexical,
      inProcess.withModel,
      inProcess.remember,
    ].map(summarise);
    if (warm === undefined || lexical === undefined || withModel === undefined || stored === undefined)
      throw new Error('no samples');
    costs.push([
      entries.toLocaleString('en-US'),
      figure(warm.median),
      verdict(warm.p95, limitMs),
      figure(lexical.p95),
      verdict(withModel.p95, entries === 50_000 ? 45 : undefined),
      verdict(stored.p95, entries === REMEMBER_LIMIT.entries ? REMEMBER_LIMIT.p95Ms : undefined),
      figure(inProcess.firstRecall),
    ]);
    const median = (samples: readonly number[]): number => summarise(samples).median;
    starts.push([
      entries.toLocaleString('en-US'),
      verdict(median(fromStart.lexical), 400),
      verdict(median(fromStart.hybrid), entries <= 10_000 ? 600 : undefined),
      verdict(median(fromStart.commandLexical), entries <= 50_000 ? 150 : undefined),
      verdict(median(fromStart.commandHybrid), entries <= 10_000 ? 350 : undefined),
      verdict(fromStart.idleMb, 80),
      verdict(fromStart.modelMb, entries <= 1_000 ? 140 : entries === 50_000 ? 230 : undefined),
    ]);
    figures[entries] = { ...inProcess, ...fromStart };
  }
  const embedding = await measureEmbedding(calls);
  const tables: ResultTable[] = [
    {
      title: 'Calls, milliseconds (p95 where not said)',
      columns: [
        'entries',
        'recall, median',
        'recall',
        'recall, words alone',
        'recall with the model',
        'remember',
        'first recall of a process',
      ],
      rows: costs,
      notes: [
        'Recall and remember with vectors that are there at once: the model costs extra.',
        `The model: ${figure(embedding['16'] ?? 0)} ms for 16 tokens (of 12), ${figure(embedding['64'] ?? 0)} ms for 64 (of 35); medians.`,
      ],
    },
    {
      title: 'From the start of the process, milliseconds (median); memory, MB',
      columns: [
        'entries',
        'first lexical answer',
        'first hybrid answer',
        '`cairn recall --lexical`',
        '`cairn recall`',
        'idle',
        'with the model',
      ],
      rows: starts,
    },
  ];
  return { tables, figures: { ...figures, embedding } };
}

await runBenchmark('latency', 'Calls, first answers and memory', measureAll);
