/**
 * The embedding kernel beside onnxruntime-web and onnxruntime-node (one thread each, the widespread dynamic-int8 export
 * of the same model), in turns: start, memory, time, and how near the vectors are to the full-precision model. Needs
 * `npm run build`. With `--small` only the vectors of a few sentences are checked.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  firstVector,
  installOnnx,
  ONNX_VERSION,
  onnxRuntime,
  ownRuntime,
  type RunningRuntime,
  type Runtime,
  startRuntime,
} from './kernel/runtimes.ts';
import { cosine, readStsbTest, spearman } from './kernel/stsb.ts';
import { minilmAsOnnx } from './peers/minilm-onnx.ts';
import { alternate, timed } from './support/alternate.ts';
import { type BenchmarkOptions, type BenchmarkResult, type ResultTable, runBenchmark } from './support/benchmark.ts';
import { externalData, ROOT, temporaryFolder } from './support/folders.ts';
import { figure, median } from './support/stats.ts';

const MODEL = 'models/all-MiniLM-L6-v2';
const TOKENS = [16, 32, 64, 128, 256];
const BULK = { texts: 256, tokens: 60, batch: 32 };
const START_ROUNDS = 7;
const TIME_ROUNDS = 9;
const BULK_ROUNDS = 2;

/** Whether the CPU multiplies and sums int8 in one instruction; the native runtime uses that, WebAssembly cannot. */
function hasInt8Instructions(): boolean {
  const path = '/proc/cpuinfo';
  return existsSync(path) && /\b(avx512_vnni|avx_vnni|amx_int8)\b/.test(readFileSync(path, 'utf8'));
}

interface Sentence {
  readonly text: string;
  readonly vector: readonly number[];
}

const textOf = (tokens: number): string => 'stone '.repeat(tokens - 2).trim();

/** The recorded sentences of the tests: works anywhere. */
async function checkSentences(own: RunningRuntime): Promise<ResultTable> {
  const path = join(ROOT, 'test/embedding/fixtures/reference.json');
  const sentences = JSON.parse(readFileSync(path, 'utf8')) as Sentence[];
  const vectors = await own.embed(sentences.map(({ text }) => text));
  const cosines = sentences.map(({ vector }, i) => cosine(vectors[i] ?? [], vector));
  const lowest = Math.min(...cosines);
  if (!(lowest >= 0.998))
    throw new Error(`A recorded sentence has only a cosine of ${lowest} to its full-precision vector.`);
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  return {
    title: 'Recorded sentences: cosine to the full-precision vector',
    columns: ['sentences', 'mean', 'lowest', 'target'],
    rows: [[sentences.length, mean.toFixed(5), lowest.toFixed(5), 'lowest ≥ .998']],
  };
}

type Peers = Readonly<Record<'cairn' | 'web' | 'node', Runtime>>;

async function measureStart(peers: Peers): Promise<ResultTable> {
  const megabytes: Record<string, number[]> = { cairn: [], web: [], node: [] };
  const start = async (name: keyof Peers): Promise<number> => {
    const first = await firstVector(peers[name]);
    megabytes[name]?.push(first.megabytes);
    return first.milliseconds;
  };
  const times = await alternate(START_ROUNDS, {
    cairn: () => start('cairn'),
    web: () => start('web'),
    node: () => start('node'),
  });
  const row = (label: string, samples: Record<string, number[]>, target: string): string[] => [
    label,
    ...['cairn', 'web', 'node'].map((name) => figure(median(samples[name] ?? []))),
    target,
  ];
  return {
    title: 'Start, in a fresh process',
    columns: ['', 'cairn', 'web', 'node', 'target'],
    rows: [
      row('worker spawned → first vector of a text, ms', times, '≤ 120'),
      row('growth of the process, MB', megabytes, '≤ 60'),
    ],
    notes: [`Medians of ${START_ROUNDS} processes in turns; the tokenizer is included everywhere.`],
  };
}

type Running = Readonly<Record<keyof Peers, RunningRuntime>>;

async function timeInTurns(
  rounds: number,
  running: Running,
  texts: readonly string[],
  batch: number,
): Promise<Record<keyof Peers, number>> {
  const run = async (runtime: RunningRuntime): Promise<number> =>
    timed(async () => {
      for (let first = 0; first < texts.length; first += batch) await runtime.embed(texts.slice(first, first + batch));
    });
  const samples = await alternate(rounds, {
    cairn: () => run(running.cairn),
    web: () => run(running.web),
    node: () => run(running.node),
  });
  return { cairn: median(samples.cairn), web: median(samples.web), node: median(samples.node) };
}

async function measureTime(
  running: Running,
  log: (line: string) => void,
): Promise<{ table: ResultTable; figures: unknown }> {
  const rows: string[][] = [];
  const figures: Record<string, unknown> = {};
  const add = (label: string, { cairn, web, node }: Record<keyof Peers, number>): void => {
    const ratio = (value: number, limit: number): string =>
      `${value.toFixed(2)} (${value <= limit ? '≤' : 'over'} ${limit})`;
    rows.push([label, figure(cairn), figure(web), figure(node), ratio(cairn / web, 0.75), ratio(cairn / node, 2.6)]);
    figures[label] = { cairn, web, node };
  };
  for (const runtime of Object.values(running)) await runtime.embed([textOf(64)]);
  for (const tokens of TOKENS) {
    log(`one text of ${tokens} tokens`);
    add(`one text of ${tokens} tokens`, await timeInTurns(TIME_ROUNDS, running, [textOf(tokens)], 1));
  }
  log('bulk');
  const bulk = Array.from({ length: BULK.texts }, () => textOf(BULK.tokens));
  add(`${BULK.texts} texts of ${BULK.tokens} tokens`, await timeInTurns(BULK_ROUNDS, running, bulk, BULK.batch));
  const notes = ['Medians, in turns, one thread each, warm workers.'];
  if (hasInt8Instructions()) {
    notes.push(
      'This CPU has instructions for int8 products (VNNI or AMX). The native runtime uses them, WebAssembly cannot reach them: the limit of 2.6 × node was set on a CPU without.',
    );
  }
  const columns = ['milliseconds', 'cairn', 'web', 'node', 'of web', 'of node'];
  return {
    table: { title: 'Time', columns, rows, notes },
    figures,
  };
}

async function embedAll(runtime: RunningRuntime, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  // One at a time: the vectors of the dynamic-int8 export depend on the batch.
  for (const text of texts) vectors.push(...(await runtime.embed([text])));
  return vectors;
}

async function measureNearness(
  running: Running,
  full: RunningRuntime,
  recorded: readonly number[],
): Promise<ResultTable | undefined> {
  const pairs = readStsbTest();
  if (pairs === undefined) return undefined;
  const texts = pairs.flatMap(({ first, second }) => [first, second]);
  const exact = await embedAll(full, texts);
  const gold = pairs.map(({ score }) => score);
  const rowFor = async (label: string, runtime: RunningRuntime): Promise<string[]> => {
    const vectors = await embedAll(runtime, texts);
    const cosines = vectors.map((vector, i) => cosine(vector, exact[i] ?? []));
    const paired = pairs.map((_, i) => cosine(vectors[2 * i] ?? [], vectors[2 * i + 1] ?? []));
    const worst = Math.max(...paired.map((value, i) => Math.abs(value - (recorded[i] ?? Number.NaN))));
    const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
    return [
      label,
      mean.toFixed(5),
      Math.min(...cosines).toFixed(5),
      worst.toFixed(4),
      spearman(paired, gold).toFixed(4),
    ];
  };
  return {
    title: `Nearness to the full-precision model, ${texts.length} texts of the STS-B test`,
    columns: ['', 'cosine, mean', 'cosine, lowest', 'pair cosine off by at most', 'Spearman'],
    rows: [
      await rowFor('cairn', running.cairn),
      await rowFor('dynamic int8 (node)', running.node),
      ['target', '≥ .999', '≥ .998', '≤ .01', '≥ .819'],
    ],
  };
}

async function measure({ small, log }: BenchmarkOptions): Promise<BenchmarkResult> {
  const own = ownRuntime(temporaryFolder());
  const cairn = startRuntime(own);
  const tables = [await checkSentences(cairn)];
  const [quantised, tokenizer, weights, reference] = [
    'model_quantized.onnx',
    'tokenizer.json',
    'model.safetensors',
    'reference.json',
  ].map((file) => externalData(`${MODEL}/${file}`));
  if (small || quantised === undefined || tokenizer === undefined || weights === undefined || reference === undefined) {
    await cairn.close();
    const reason = small ? 'small run' : `${MODEL} is not at hand`;
    return { tables, figures: {}, skipped: [`comparison with the ONNX runtimes: ${reason}`] };
  }
  const folder = installOnnx(log);
  const peers: Peers = {
    cairn: own,
    web: onnxRuntime(folder, 'web', quantised, tokenizer),
    node: onnxRuntime(folder, 'node', quantised, tokenizer),
  };
  log('start');
  tables.push(await measureStart(peers));
  const running: Running = { cairn, web: startRuntime(peers.web), node: startRuntime(peers.node) };
  const time = await measureTime(running, log);
  tables.push(time.table);
  log('nearness');
  const fullPath = join(temporaryFolder(), 'full.onnx');
  writeFileSync(fullPath, minilmAsOnnx(weights));
  const full = startRuntime(onnxRuntime(folder, 'node', fullPath, tokenizer));
  const recorded = JSON.parse(readFileSync(reference, 'utf8')) as { readonly stsb_test_cosines: readonly number[] };
  const nearness = await measureNearness(running, full, recorded.stsb_test_cosines);
  if (nearness !== undefined) tables.push(nearness);
  await Promise.all([...Object.values(running), full].map((runtime) => runtime.close()));
  const skipped = nearness === undefined ? ['nearness: bench/stsb is not at hand'] : [];
  return { tables, figures: { time: time.figures, tables }, skipped };
}

await runBenchmark('kernel', `Embedding kernel beside onnxruntime ${ONNX_VERSION}`, measure);
