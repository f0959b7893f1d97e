import { roundScore } from '../../protocol/index.ts';

/** The evidence that an entry answers a query, each part in [0, 1]. */
export interface Evidence {
  /** The texts are equal but for case and spacing. */
  readonly identical: boolean;
  /** How the entry's error signature meets the query's. */
  readonly signature?: 'exact' | 'core';
  /** Query and entry name errors with different keys: alike in class at most. */
  readonly isOtherError?: boolean;
  /** Similarity of two texts that are restatements of each other; 0 where they are not. */
  readonly near: number;
  /** Best passage's cosine on the calibrated scale; absent where vectors took no part. */
  readonly dense?: number;
  /** Of the best passage. */
  readonly lexical: number;
}

/** What kind of evidence made the score. */
export type MatchKind = 'identical' | 'signature' | 'lexical' | 'dense';

export interface Score {
  /** In [0, 1], four decimals; never normalised inside a list of results. */
  readonly value: number;
  readonly match: MatchKind;
}

const EXACT_SIGNATURE = 0.95;
const CORE_SIGNATURE = 0.7;
/** No mixture of words and meaning counts as a duplicate. */
const MAX_BOTH = 0.82;
/** Without vectors nothing is known of meaning. */
const MAX_LEXICAL_ONLY = 0.8;
/** Shared words are weaker evidence than equal meaning. */
const LEXICAL_WEIGHT = 0.8;

/**
 * What is left of a likeness between two errors that are told apart by their signatures. Without it half of the errors of
 * the same class get somebody else's fix (10 of 20 in our own set; with it 4).
 */
const OTHER_ERROR = 0.7;

/** A query whose words carry less information than this, in nats, cannot choose among entries. */
export const LEAST_INFORMATION = 3.2;
const POWERLESS_CAP = 0.39;

/** A monotone piecewise-linear map, by its corners in ascending order; flat outside of them. */
export type PiecewiseMap = readonly (readonly [from: number, to: number])[];

export function mapPiecewise(map: PiecewiseMap, value: number): number {
  let [x0, y0] = map[0] ?? [0, 0];
  if (value <= x0) return y0;
  for (const [x1, y1] of map) {
    if (value <= x1) return x1 === x0 ? y1 : y0 + ((value - x0) / (x1 - x0)) * (y1 - y0);
    [x0, y0] = [x1, y1];
  }
  return y0;
}

/**
 * Lexical evidence on the scale of the floors, for answers without vectors. Fitted on one half of our own 200 questions
 * (`bench/retrieval/fit-lexical-map.ts`): at 0.175 no question of another world gets anything, nor two in three of
 * those of the same kind that have no answer.
 */
export const LEXICAL_ONLY_MAP: PiecewiseMap = [
  [0, 0],
  [0.08, 0.3],
  [0.12, 0.4],
  [0.175, 0.5],
  [0.6, 0.8],
];

/** What words alone are worth on the scale of the cosines. */
export function lexicalOnly(lexical: number): number {
  return Math.min(MAX_LEXICAL_ONLY, mapPiecewise(LEXICAL_ONLY_MAP, lexical));
}

function combine({ dense, lexical }: Evidence): number {
  if (dense === undefined) return lexicalOnly(lexical);
  return Math.min(MAX_BOTH, 1 - (1 - dense) * (1 - LEXICAL_WEIGHT * lexical));
}

/**
 * How sure it is that an entry answers a query: max(identical, signature, near, words and meaning together), rounded
 * before anything is compared with it. `information` is the query's, in nats.
 */
export function scoreEvidence(evidence: Evidence, information: number): Score {
  const both = combine(evidence) * (evidence.isOtherError === true ? OTHER_ERROR : 1);
  const ordinary = information < LEAST_INFORMATION ? Math.min(both, POWERLESS_CAP) : both;
  const signature =
    evidence.signature === 'exact' ? EXACT_SIGNATURE : evidence.signature === 'core' ? CORE_SIGNATURE : 0;
  const value = roundScore(Math.max(evidence.identical ? 1 : 0, signature, evidence.near, ordinary));
  return { value, match: matchOf(evidence, signature, ordinary) };
}

function matchOf(evidence: Evidence, signature: number, ordinary: number): MatchKind {
  if (evidence.identical) return 'identical';
  if (signature > 0 && signature >= Math.max(evidence.near, ordinary)) return 'signature';
  return (evidence.dense ?? 0) >= LEXICAL_WEIGHT * evidence.lexical && evidence.dense !== undefined
    ? 'dense'
    : 'lexical';
}
