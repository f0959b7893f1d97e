import type { Database } from '../../storage/index.ts';
import { toIndexTerm } from '../store/index-entry.ts';
import type { LexicalQuery } from './lexical.ts';

/** Longest list of candidates from one source. */
export const MAX_CANDIDATES = 200;

/** So many of a query's terms are looked for at least, the rarest ones; no more in a large store. */
const RAREST_TERMS = 8;
/** In passages. */
const LARGE_STORE = 30_000;

/**
 * Places of terms in entries that one query may visit beyond that, about 5 ms: a word of every third entry brings
 * thousands of them and chooses nothing.
 */
const MAX_POSTINGS = 15_000;

/** Terms of the longest query that is looked up in full text. */
const MAX_TERMS = 64;

/** The most telling terms of a query: all of them in a small store, the rarest in a large one. */
function chooseTerms(query: LexicalQuery, passages: number, frequencies: ReadonlyMap<string, number>): string[] {
  const known = query.terms
    .map(({ term, idf }) => ({ term, idf, frequency: frequencies.get(term) ?? 0 }))
    .filter(({ frequency }) => frequency > 0)
    .sort((a, b) => b.idf - a.idf);
  let postings = 0;
  const chosen = known.filter(({ frequency }, n) => {
    postings += frequency;
    return n < RAREST_TERMS || (passages <= LARGE_STORE && postings <= MAX_POSTINGS);
  });
  return chosen.slice(0, MAX_TERMS).map(({ term }) => term);
}

/**
 * Entries that share words with the query, best first by BM25 over the whole document. `among` restricts them to
 * entries of these keys; `without` leaves some out.
 */
export function findByWords(
  db: Database,
  query: LexicalQuery,
  options: {
    readonly passages: number;
    readonly frequencies: ReadonlyMap<string, number>;
    readonly among: readonly number[] | undefined;
    readonly without: readonly number[];
  },
): number[] {
  const terms = chooseTerms(query, options.passages, options.frequencies);
  if (terms.length === 0) return [];
  const match = [...new Set(terms.map(toIndexTerm))].map((term) => `"${term}"`).join(' OR ');
  const [filter, list] = options.among === undefined ? ['NOT IN', options.without] : ['IN', options.among];
  if (options.among === undefined && options.without.length === 0) {
    return keysOf(db, 'SELECT rowid FROM entry_fts WHERE entry_fts MATCH ? ORDER BY rank LIMIT ?', [
      match,
      MAX_CANDIDATES,
    ]);
  }
  return keysOf(
    db,
    `SELECT rowid FROM entry_fts WHERE entry_fts MATCH ? AND rowid ${filter} (SELECT value FROM json_each(?)) ORDER BY rank LIMIT ?`,
    [match, JSON.stringify(list), MAX_CANDIDATES],
  );
}

function keysOf(db: Database, sql: string, parameters: readonly (string | number)[]): number[] {
  return db.all<{ rowid: number }>(sql, parameters).map(({ rowid }) => rowid);
}
