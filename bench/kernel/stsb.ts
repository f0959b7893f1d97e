import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { externalData } from '../support/folders.ts';

/** One pair of the STS benchmark with its human score, 0 to 5. */
export interface SentencePair {
  readonly score: number;
  readonly first: string;
  readonly second: string;
}

/** The pairs of the test part, in file order; `undefined` where the set is not at hand. */
export function readStsbTest(): SentencePair[] | undefined {
  const path = externalData('bench/stsb/sts-test.csv.gz');
  if (path === undefined) return undefined;
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  return lines.map((line) => {
    const fields = line.split('\t');
    return { score: Number(fields[4]), first: fields[5] ?? '', second: fields[6] ?? '' };
  });
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] ?? 0) * (b[i] ?? 0);
    aa += (a[i] ?? 0) ** 2;
    bb += (b[i] ?? 0) ** 2;
  }
  return dot / Math.sqrt(aa * bb);
}

/** Ranks from 0, equal values sharing the mean of theirs. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && values[order[last + 1] ?? 0] === values[order[first] ?? 0]) last++;
    for (let i = first; i <= last; i++) ranks[order[i] ?? 0] = (first + last) / 2;
    first = last + 1;
  }
  return ranks;
}

/** Spearman's rank correlation: Pearson's over the ranks. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  const mean = (a.length - 1) / 2;
  const centred = (values: readonly number[]): number[] => ranksOf(values).map((rank) => rank - mean);
  return cosine(centred(a), centred(b));
}
