import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HouseCheck } from './check.ts';

const MAX_LINES = 500;

/** Flat tables of like records that may be longer than {@link MAX_LINES}, each with the reason. */
const FLAT_TABLES: Readonly<Record<string, string>> = {};

function isSource(path: string): boolean {
  return /\.(ts|tsx|cjs|mjs)$/.test(path) && !path.includes('/generated/') && !path.includes('/fixtures/');
}

/** The smallest value that at least `share` (0 to 1) of the sorted `values` do not exceed. */
function quantile(values: readonly number[], share: number): number {
  return values[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}

/** No source file over 500 lines but flat tables; prints the median and the 90th percentile of the product's files. */
export const longFiles: HouseCheck = {
  name: 'file length',
  run(root, files) {
    const lengths = files
      .filter(isSource)
      .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }));
    const product = lengths
      .filter(({ path }) => path.startsWith('src/'))
      .map(({ lines }) => lines)
      .sort((a, b) => a - b);
    const problems = lengths
      .filter(({ path, lines }) => lines > MAX_LINES && FLAT_TABLES[path] === undefined)
      .map(({ path, lines }) => `${path}: ${lines} lines, over ${MAX_LINES}. Give each concept a file of its own.`);
    for (const path of Object.keys(FLAT_TABLES)) {
      if (!files.includes(path)) problems.push(`${path}: listed as a flat table, but there is no such file.`);
    }
    const summary = `src: ${product.length} files, median ${quantile(product, 0.5)} lines, p90 ${quantile(product, 0.9)}, longest ${product.at(-1) ?? 0}`;
    return { problems, notes: [summary] };
  },
};
