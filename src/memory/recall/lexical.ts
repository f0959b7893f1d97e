import { type Bag, countInBag, hashTerm } from '../bag.ts';
import { backgroundShare } from './background.ts';

/** One distinct term of a query with how much it tells: its inverse document frequency in nats. */
export interface QueryTerm {
  readonly term: string;
  /** As the bags know it. */
  readonly hash: number;
  readonly idf: number;
}

/** What a query's words can choose by. */
export interface LexicalQuery {
  readonly terms: readonly QueryTerm[];
  /** Sum of all terms' idf, those that no entry has included. */
  readonly information: number;
}

/** Passages that the background stands for: how long a store's own frequencies are outvoted by it. */
const BACKGROUND_WEIGHT = 200;

/** BM25's saturation of repeats and normalisation by length (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;

/**
 * Length of an ordinary passage, in tokens. A constant and not the store's mean: the same note must score the same for the
 * same question, whatever else was stored.
 */
export const PASSAGE_LENGTH = 60;

/** Matched information, in nats, at which a match is worth 63 % of its share. */
const MATCH_SCALE = 6;

/**
 * Inverse document frequency of a term that `frequency` of `entries` have, mixed with the shipped background, so that
 * a common word is common in an empty store too.
 */
export function termInformation(term: string, frequency: number, entries: number): number {
  const n = entries + BACKGROUND_WEIGHT;
  const x = frequency + BACKGROUND_WEIGHT * backgroundShare(term);
  return Math.log(1 + (n - x + 0.5) / (x + 0.5));
}

/** `frequencyOf` gives in how many of the store's `entries` a term occurs. */
export function toLexicalQuery(
  terms: readonly string[],
  entries: number,
  frequencyOf: (term: string) => number,
): LexicalQuery {
  const distinct = [...new Set(terms)].map((term) => ({
    term,
    hash: hashTerm(term),
    idf: termInformation(term, frequencyOf(term), entries),
  }));
  return { terms: distinct, information: distinct.reduce((sum, { idf }) => sum + idf, 0) };
}

/** A bag with its number of tokens, and the mean of that number over the store. */
export interface MeasuredBag {
  readonly bag: Bag;
  readonly length: number;
  readonly averageLength: number;
}

/**
 * Matched information: each shared term's idf, saturated by its count and normalised by length. In nats. `slack` is added
 * to both lengths.
 */
export function matchedInformation(
  query: LexicalQuery,
  { bag, length, averageLength }: MeasuredBag,
  slack = 0,
): number {
  const norm = K1 * (1 - B + (B * (length + slack)) / Math.max(1, averageLength + slack));
  let sum = 0;
  for (const { hash, idf } of query.terms) {
    const count = countInBag(bag, hash);
    if (count > 0) sum += (idf * count) / (count + norm);
  }
  return sum;
}

/**
 * Lexical evidence in [0, 1): the matched share of the query's information, damped where little was matched at all.
 * Says the same in a store of 20 entries and of 20,000.
 */
export function lexicalEvidence(query: LexicalQuery, matched: number): number {
  if (query.information <= 0) return 0;
  return (matched / query.information) * (1 - Math.exp(-matched / MATCH_SCALE));
}
