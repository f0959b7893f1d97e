import { isCairnError } from '../../kernel/index.ts';
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
    .all<{ rowid: number }>('SELECT rowid FROM entry_fts WHERE entry_fts MATCH ? ORDER BY rank LIMIT ?', [
      query,
      LEXICAL_NEIGHBOURS,
    ])
    .map(({ rowid }) => rowid);
}

async function denseNeighbours(db: Database, vectors: VectorCache, own: readonly Float32Array[]): Promise<number[]> {
  const keys: number[] = [];
  for (const vector of own) {
    for (const { passageKey } of await vectors.search(vector, DENSE_NEIGHBOURS)) {
      const row = db.get<{ entry_key: number }>('SELECT entry_key FROM passage WHERE key = ?', [passageKey]);
      if (row !== undefined) keys.push(row.entry_key);
    }
  }
  return keys;
}

function sameSignature(db: Database, draft: Draft): number[] {
  if (draft.signatureKey === undefined) return [];
  return db
    .all<{ entry_key: number }>('SELECT entry_key FROM signature WHERE key = ?', [draft.signatureKey])
    .map((row) => row.entry_key);
}

/** Keys of entries that may be near a draft: by their rarest terms and, where there are vectors, by meaning. */
export async function findNeighbours(
  db: Database,
  draft: Draft,
  vectors: VectorCache,
  own: readonly Float32Array[] | undefined,
): Promise<number[]> {
  const keys = new Set([...lexicalNeighbours(db, draft.text), ...sameSignature(db, draft)]);
  for (const key of await denseNeighbours(db, vectors, own ?? [])) keys.add(key);
  return [...keys];
}

/**
 * The same, from those indexes that can be read; undefined where none of them can. Then only identity is checked, and
 * the near check follows later.
 */
export async function findReadableNeighbours(
  db: Database,
  draft: Draft,
  vectors: VectorCache,
  own: readonly Float32Array[] | undefined,
): Promise<number[] | undefined> {
  const lexical = await unlessDamaged(async () => [...lexicalNeighbours(db, draft.text), ...sameSignature(db, draft)]);
  const dense = own === undefined ? undefined : await unlessDamaged(() => denseNeighbours(db, vectors, own));
  return lexical === undefined && dense === undefined
    ? undefined
    : [...new Set([...(lexical ?? []), ...(dense ?? [])])];
}

async function unlessDamaged(read: () => Promise<number[]>): Promise<number[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isCairnError(error) && error.code === 'store_damaged') return undefined;
    throw error;
  }
}

/** Where the log stands: what is written after this is new to who looked before. */
export function logMark(db: Database): number {
  return db.get<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM event')?.seq ?? 0;
}

/** Entries whose text came, changed or came back since; for the check inside the transaction. */
export function changedSince(db: Database, mark: number): number[] {
  return db
    .all<{ entry_key: number }>(
      "SELECT DISTINCT entry_key FROM event WHERE seq > ? AND op IN ('create', 'revise', 'reopen', 'restore')",
      [mark],
    )
    .map((row) => row.entry_key);
}
