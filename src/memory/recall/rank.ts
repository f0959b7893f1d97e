/** How candidates of one kind of text are put in order. */
export interface RankProfile {
  /** What the words of the whole document count beside the cosine. */
  readonly wordsWeight: number;
  /** Tokens added to every length: in a store of short notes a few words more or less say nothing. */
  readonly lengthSlack: number;
  /** Share of a neighbour's words that count for an entry: notes that follow each other in one session belong together. */
  readonly neighbourShare: number;
}

/** What memory keeps. Fitted on one half of the queries of the prose sets; figures and what else was tried in `bench/retrieval/README.md`. */
export const PROSE: RankProfile = { wordsWeight: 0.7, lengthSlack: 20, neighbourShare: 0.3 };
/** Functions and classes. Fitted on one half of the CoSQA queries. */
export const CODE: RankProfile = { wordsWeight: 0.2, lengthSlack: 0, neighbourShare: 0 };

/**
 * Turns of a conversation: short, full of names, and answered by what stands beside them; their vectors say little. Fitted
 * on one half of the LoCoMo questions. Memory holds no conversations; the benchmark of them is measured with it.
 */
export const TURNS: RankProfile = { wordsWeight: 3, lengthSlack: 20, neighbourShare: 0.45 };

/** What an entry is put in order by. */
export interface RankParts {
  /** Lexical evidence of the whole document, its neighbours' share included. */
  readonly words: number;
  /** Best passage's cosine; absent in lexical mode. */
  readonly cosine?: number;
}

/**
 * Place of an entry among others, larger first. Both parts are absolute: words that say little weigh little against the
 * vectors, and many rare words in common outweigh them. A list's own maximum or spread would give the words the same
 * say in either case; on paraphrases that costs 17 points of MRR.
 */
export function rankOf({ words, cosine }: RankParts, { wordsWeight }: RankProfile): number {
  return cosine === undefined ? words : Math.max(0, cosine) + wordsWeight * words;
}

/** What moves an entry a little in the order, whatever it says. */
export interface RankNudges {
  readonly worked: number;
  readonly failed: number;
  /** A file or the workflow of the query is one of the entry's. */
  readonly overlaps: boolean;
  readonly ageDays: number;
}

const OUTCOME_BOUND = 0.05;
const OVERLAP_BOUND = 0.03;
const RECENCY_BOUND = 0.02;
const RECENCY_HALF_LIFE_DAYS = 90;

/** The sum of all nudges: outcomes at most ±0.05, overlap at most 0.03, recency at most 0.02. */
export function nudgeOf({ worked, failed, overlaps, ageDays }: RankNudges): number {
  const outcome = (OUTCOME_BOUND * (worked - failed)) / (worked + failed + 1);
  const recency = RECENCY_BOUND * 0.5 ** (Math.max(0, ageDays) / RECENCY_HALF_LIFE_DAYS);
  return outcome + (overlaps ? OVERLAP_BOUND : 0) + recency;
}
