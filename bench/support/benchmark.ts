import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from './folders.ts';
import { describeMachine, type Machine } from './machine.ts';

/** A table of results; cells are written as they are. */
export interface ResultTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** What a reader must know to judge the figures; Markdown. */
  readonly notes?: readonly string[];
}

/** What one benchmark measured. */
export interface BenchmarkResult {
  readonly tables: readonly ResultTable[];
  /** The same figures and more, for programs; any JSON. */
  readonly figures: unknown;
  /** Parts that could not run here, each with its reason. */
  readonly skipped?: readonly string[];
}

interface StoredResult extends BenchmarkResult {
  readonly name: string;
  readonly title: string;
  readonly small: boolean;
  readonly machine: Machine;
  readonly seconds: number;
}

export interface BenchmarkOptions {
  /** A run of seconds that shows that the benchmark works; its figures are not kept. */
  readonly small: boolean;
  /** One line about progress, to standard error. */
  readonly log: (line: string) => void;
}

const RESULTS = join(ROOT, 'bench/results');

function markdownTable({ title, columns, rows, notes }: ResultTable): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  const table = [line(columns), line(rule), ...rows.map(line)];
  const remarks = (notes ?? []).map((note) => `- ${note}`);
  return [`### ${title}`, '', ...table, '', ...remarks, ...(remarks.length > 0 ? [''] : [])].join('\n');
}

function markdown(result: StoredResult): string {
  const { date, cpu, cores, memoryGb, node, system } = result.machine;
  const where = `${date}, ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}; ${Math.round(result.seconds)} s`;
  const command = `npm run bench -- ${result.name}`;
  const skipped = (result.skipped ?? []).map((reason) => `Skipped: ${reason}`);
  const head = [`## ${result.title}`, '', `\`${command}\` · ${where}`, ''];
  return [...head, ...result.tables.map(markdownTable), ...skipped, ''].join('\n');
}

function writeOverview(): void {
  const files = readdirSync(RESULTS).filter((name) => name.endsWith('.json'));
  const results = files.map((name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as StoredResult);
  const head =
    '# Results of the benchmarks\n\nWritten by `npm run bench`; the JSON files beside this page hold every figure.\n';
  writeFileSync(join(RESULTS, 'README.md'), `${[head, ...results.map(markdown)].join('\n').trimEnd()}\n`);
}

/**
 * Runs one benchmark and keeps its result: `bench/results/<name>.json` and the overview beside it, the Markdown also on
 * standard output. With `--small` the JSON goes to the cache instead. To be called once, at the end of `bench/<name>.ts`.
 */
export async function runBenchmark(
  name: string,
  title: string,
  measure: (options: BenchmarkOptions) => Promise<BenchmarkResult>,
): Promise<void> {
  const small = process.argv.includes('--small');
  const start = performance.now();
  const result = await measure({ small, log: (line) => console.error(`[${name}] ${line}`) });
  const seconds = (performance.now() - start) / 1000;
  const stored: StoredResult = { name, title, small, machine: describeMachine(), seconds, ...result };
  const folder = small ? join(CACHE, 'small') : RESULTS;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(stored, null, 1)}\n`);
  if (!small) writeOverview();
  console.log(markdown(stored));
}
