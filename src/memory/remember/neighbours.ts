import type { Database } from '../../storage/index.ts';
import { searchTerms } from '../../text/index.ts';
import type { Draft } from '../draft.ts';
import { toIndexTerm } from '../store/index-entry.ts';
import type { VectorCache } from '../vectors/vector-cache.ts';

/** A restatement misses at most a tenth of the other's stems, so it holds most of any few of them. */
const RAREST_TERMS = 7;
/** Terms whose frequency is looked up; the longest ones, which are seldom the common ones. */
const TERMS_LOOKED_UP = 24;
const LEXICAL_NEIGHBOURS = 50;
const DENSE_NEIGHBOURS = 20;

/** The least frequent of some terms among those that the store has, rarest first. */
function rarestTerms(db: Database, terms: readonly string[], count: number): string[] {
  const candidates = [...new Set(terms.map(toIndexTerm))].sort((a, b) => b.length - a.length).slice(0, TERMS_LOOKED_UP);
  const known = candidates.flatMap((term) => {
    const row = db.get<{ doc: number }>('SELECT doc FROM entry_fts_vocab WHERE term = ?', [term]);
    return row === undefined ? [] : [{ term, documents: row.doc }];
  });
  return known
    .sort((a, b) => a.documents - b.documents)
    .slice(0, count)
    .map(({ term }) => term);
}

function lexicalNeighbours(db: Database, text: string): number[] {
  const terms = rarestTerms(db, searchTerms(text).terms, RAREST_TERMS);
  if (terms.length === 0) return [];
  const query = terms.map((term) => `"${term}"`).join(' OR ');
  return db
    .all<{ rowid: number }>('SELECT rowid FROM entry_fts WHERE entry_fts MATCH ? ORDER BY rank LIMIT ?', [query, LEXICAL_NEIGHBOURS])
    .map(({ rowid }) => rowid);
}

/** Keys of entries that may be near a draft: by their rarest terms and, where there are vectors, by meaning. */
export async function findNeighbours(
  db: Database,
  draft: Draft,
  vectors: VectorCache,
  own: readonly Float32Array[] | undefined,
): Promise<number[]> {
  const keys = new Set(lexicalNeighbours(db, draft.text));
  if (draft.signatureKey !== undefined) {
    for (const row of db.all<{ entry_key: number }>('SELECT entry_key FROM signature WHERE key = ?', [draft.signatureKey])) keys.add(row.entry_key);
  }
  for (const vector of own ?? []) {
    for (const { passageKey } of await vectors.search(vector, DENSE_NEIGHBOURS)) {
      const row = db.get<{ entry_key: number }>('SELECT entry_key FROM passage WHERE key = ?', [passageKey]);
      if (row !== undefined) keys.add(row.entry_key);
    }
  }
  return [...keys];
}

/** Key of the newest entry, 0 in an empty store. */
export function newestEntryKey(db: Database): number {
  return db.get<{ key: number | null }>('SELECT MAX(key) AS key FROM entry')?.key ?? 0;
}

/** Entries added since; for the check inside the transaction. */
export function newerThan(db: Database, key: number): number[] {
  return db.all<{ key: number }>('SELECT key FROM entry WHERE key > ?', [key]).map((row) => row.key);
}
