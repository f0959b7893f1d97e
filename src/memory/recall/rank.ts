import { countInBag } from '../bag.ts';
import type { LexicalQuery, MeasuredBag } from './lexical.ts';

/** The two relative measures by which candidates of one query are put in order. */
export interface RankParts {
  readonly key: number;
  /** BM25 over the whole document. */
  readonly words: number;
  /** Best passage's cosine; absent where the entry has no usable vector. */
  readonly cosine?: number;
}

/** How candidates of one kind of text are put in order. */
export interface RankProfile {
  /** Words against vectors, 0 to 1. */
  readonly wordsWeight: number;
  /** Tokens added to every length: in a store of short notes a few words more or less say nothing. */
  readonly lengthSlack: number;
  /** Share of a neighbour's words that count for an entry: notes that follow each other in one session belong together. */
  readonly neighbourShare: number;
}

/** What memory keeps; fitted on one half of the queries of each prose set (`bench/retrieval/`). */
export const PROSE: RankProfile = { wordsWeight: 0.55, lengthSlack: 20, neighbourShare: 0.3 };
/** Functions and classes; fitted on one half of the CoSQA queries. */
export const CODE: RankProfile = { wordsWeight: 0.25, lengthSlack: 0, neighbourShare: 0 };

/** Longest list by which a measure's mean and deviation are taken. */
const LIST = 200;

const K1 = 1.2;
const B = 0.75;

/** BM25 of a whole document over its bag (Robertson and Zaragoza, 2009), with the query's own idf. */
export function documentBm25(query: LexicalQuery, { bag, length, averageLength }: MeasuredBag, slack: number): number {
  const norm = K1 * (1 - B + (B * (length + slack)) / (averageLength + slack));
  let sum = 0;
  for (const { hash, idf } of query.terms) {
    const count = countInBag(bag, hash);
    if (count > 0) sum += (idf * count * (K1 + 1)) / (count + norm);
  }
  return sum;
}

interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

/** Mean and deviation of the best values of a list; only those that say something count. */
function spreadOf(values: readonly number[]): Spread {
  const best = values
    .filter((value) => value > 0)
    .sort((a, b) => b - a)
    .slice(0, LIST);
  if (best.length === 0) return { mean: 0, deviation: 1 };
  const mean = best.reduce((sum, value) => sum + value, 0) / best.length;
  const variance = best.reduce((sum, value) => sum + (value - mean) ** 2, 0) / best.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

/**
 * The order of candidates: the weighted sum of how far each measure stands out in its own list, in standard
 * deviations. A candidate without a vector is judged by its words alone. Says nothing about whether any of them is right.
 */
export function fuse(candidates: readonly RankParts[], wordsWeight: number): Map<number, number> {
  const words = spreadOf(candidates.map((candidate) => candidate.words));
  const cosines = spreadOf(candidates.map(({ cosine }) => cosine ?? 0));
  return new Map(
    candidates.map((candidate) => {
      const byWords = (candidate.words - words.mean) / words.deviation;
      const byMeaning = candidate.cosine === undefined ? byWords : (candidate.cosine - cosines.mean) / cosines.deviation;
      return [candidate.key, wordsWeight * byWords + (1 - wordsWeight) * byMeaning];
    }),
  );
}

/** What moves an entry a little in the order, whatever it says. */
export interface RankNudges {
  readonly worked: number;
  readonly failed: number;
  /** A file or the workflow of the query is one of the entry's. */
  readonly overlaps: boolean;
  readonly ageDays: number;
}

/** Standard deviations that are one point of the old scale, on which the bounds below are stated. */
const POINT = 4;
const OUTCOME_BOUND = 0.05;
const OVERLAP_BOUND = 0.03;
const RECENCY_BOUND = 0.02;
const RECENCY_HALF_LIFE_DAYS = 90;

/** The sum of all nudges, in standard deviations: outcomes ±0.05, overlap ≤ 0.03, recency ≤ 0.02 of the scale. */
export function nudgeOf({ worked, failed, overlaps, ageDays }: RankNudges): number {
  const outcome = (OUTCOME_BOUND * (worked - failed)) / (worked + failed + 1);
  const recency = RECENCY_BOUND * 0.5 ** (Math.max(0, ageDays) / RECENCY_HALF_LIFE_DAYS);
  return POINT * (outcome + (overlaps ? OVERLAP_BOUND : 0) + recency);
}
