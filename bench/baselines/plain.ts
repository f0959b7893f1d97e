import { porter } from './porter.ts';

/**
 * The plain retrieval that anybody could write in an afternoon: what a memory product must at least reach. BM25 over
 * Porter stems of whole documents (k1 1.2, b .75), MiniLM over windows of 900 characters (the best one speaks for its
 * document), and the mix of the two, each scaled by its best.
 */
const K1 = 1.2;
const B = 0.75;
const WINDOW = 900;

const STOP_WORDS = new Set(
  'a an and are as at be but by for from had has have how i if in into is it its of on or that the their then there these they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

function plainTerms(text: string): string[] {
  return (text.toLowerCase().match(/\w+/g) ?? []).filter((word) => !STOP_WORDS.has(word)).map(porter);
}

/** Windows of at most 900 characters, cut at white space. */
export function plainWindows(text: string): string[] {
  const windows: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + WINDOW, text.length);
    const space = end < text.length ? text.lastIndexOf(' ', end) : -1;
    if (space > at + WINDOW / 2) end = space;
    const window = text.slice(at, end).trim();
    if (window !== '') windows.push(window);
    at = end;
  }
  return windows;
}

/** A function from a query to a score of each document, in document order. */
export type PlainScorer = (query: string) => Float64Array;

export function plainBm25(texts: readonly string[]): PlainScorer {
  const postings = new Map<string, [document: number, count: number][]>();
  const lengths = texts.map((text, n) => {
    const terms = plainTerms(text);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [[n, count]]);
      else list.push([n, count]);
    }
    return terms.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return (query) => {
    const scores = new Float64Array(texts.length);
    for (const term of new Set(plainTerms(query))) {
      const list = postings.get(term) ?? [];
      const idf = Math.log(1 + (texts.length - list.length + 0.5) / (list.length + 0.5));
      for (const [n, count] of list) {
        const norm = K1 * (1 - B + (B * (lengths[n] ?? 0)) / average);
        scores[n] = (scores[n] ?? 0) + (idf * count * (K1 + 1)) / (count + norm);
      }
    }
    return scores;
  };
}

/** `embed` gives the vector of a text that was embedded before. */
export function plainDense(texts: readonly string[], embed: (text: string) => Float32Array): PlainScorer {
  const windows = texts.map((text) => plainWindows(text).map(embed));
  return (query) => {
    const own = embed(query);
    return Float64Array.from(windows, (vectors) => {
      let best = 0;
      for (const vector of vectors) {
        let sum = 0;
        for (let i = 0; i < own.length; i++) sum += (own[i] ?? 0) * (vector[i] ?? 0);
        best = Math.max(best, sum);
      }
      return best;
    });
  };
}

/** `weight` goes to the words; each side is divided by its best. */
export function plainMix(words: PlainScorer, dense: PlainScorer, weight: number): PlainScorer {
  return (query) => {
    const [left, right] = [words(query), dense(query)];
    const [leftMax, rightMax] = [Math.max(1e-9, ...left), Math.max(1e-9, ...right)];
    return left.map((value, n) => (weight * value) / leftMax + ((1 - weight) * (right[n] ?? 0)) / rightMax);
  };
}
