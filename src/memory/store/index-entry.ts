import type { Database } from '../../storage/index.ts';
import { pickSignature, type SearchToken, signatureKeys, tokenise } from '../../text/index.ts';
import { makeBag } from '../bag.ts';
import { type Entry, partOf, type RevisionFields } from '../model.ts';
import { splitPassages, type TokenCounter } from '../passages.ts';

/** Letters, digits, marks and `_` are what the full-text tokeniser keeps; everything else would split the term. */
export function toIndexTerm(term: string): string {
  return term.replace(/[^\p{L}\p{N}\p{M}]/gu, '_');
}

/** Shorter identifiers have too few trigrams to be told apart. */
const MIN_TRIGRAM_IDENTIFIER = 5;

function toBody(tokens: readonly SearchToken[]): string {
  return tokens.map(({ term }) => toIndexTerm(term)).join(' ');
}

/** Distinct identifiers of a text that can be searched by trigram, and its signature where it names an error. */
function trigramNames(tokens: readonly SearchToken[], signature: string | undefined): string {
  const names = new Set<string>();
  for (const { term, kind } of tokens)
    if (kind === 'identifier' && term.length >= MIN_TRIGRAM_IDENTIFIER) names.add(term);
  if (signature !== undefined) names.add(signature.toLowerCase());
  return [...names].join('\n');
}

/** Longest first line that counts as a heading, in UTF-16 units. */
const MAX_HEADING = 200;

/** The words of a first line that stands over more text, each once: they say what the rest is about. */
function headingTokens(text: string): SearchToken[] {
  const end = text.indexOf('\n');
  if (end <= 0 || end > MAX_HEADING || text.slice(end).trim() === '') return [];
  const tokens = tokenise(text.slice(0, end));
  return [...new Map(tokens.map((token) => [token.term, token])).values()];
}

/** Levels of a signature key in the `signature` table. */
export const SIGNATURE_LEVEL = { exact: 1, core: 2 } as const;

/**
 * Writes every derived row of one entry's text: passages with their bags, full text, trigrams, signature keys, tags
 * and files. Vectors follow later. Runs inside the caller's transaction; the entry's old rows must be gone.
 * Returns the document's bag where the entry has several passages, and its number of terms.
 */
export function indexText(
  db: Database,
  entryKey: number,
  entry: Pick<Entry, 'kind' | 'text' | 'fields'>,
  countTokens: TokenCounter,
): { bag: Uint8Array | null; terms: number } {
  const { text, fields } = entry;
  const tokens = tokenise(text);
  // Counted once more in the bags, which scoring reads; the full text, which finds candidates, has them once.
  const heading = headingTokens(text);
  const spans = splitPassages(text, countTokens);
  spans.forEach(({ start, end }, n) => {
    const own = spans.length === 1 ? tokens : tokenise(text.slice(start, end));
    db.run('INSERT INTO passage (entry_key, n, start, "end", terms, bag) VALUES (?, ?, ?, ?, ?, ?)', [
      entryKey,
      n,
      start,
      end,
      own.length,
      makeBag(n === 0 ? [...own, ...heading] : own),
    ]);
  });
  db.run('INSERT INTO entry_fts (rowid, body) VALUES (?, ?)', [entryKey, toBody(tokens)]);
  const signature = entry.kind === 'error_fix' ? partOf(text, fields.signature) : undefined;
  const names = trigramNames(tokens, signature);
  if (names !== '') db.run('INSERT INTO identifier_tri (rowid, names) VALUES (?, ?)', [entryKey, names]);
  if (signature !== undefined) writeSignature(db, entryKey, signature);
  writeLabels(db, entryKey, fields);
  return { bag: spans.length > 1 ? makeBag([...tokens, ...heading]) : null, terms: tokens.length };
}

function writeSignature(db: Database, entryKey: number, signature: string): void {
  const insert = 'INSERT OR IGNORE INTO signature (key, level, entry_key) VALUES (?, ?, ?)';
  const keys = signatureKeys(pickSignature(signature)?.display ?? signature);
  db.run(insert, [keys.exact, SIGNATURE_LEVEL.exact, entryKey]);
  if (keys.core !== undefined) db.run(insert, [keys.core, SIGNATURE_LEVEL.core, entryKey]);
}

function writeLabels(db: Database, entryKey: number, fields: RevisionFields): void {
  for (const tag of fields.tags ?? [])
    db.run('INSERT OR IGNORE INTO entry_tag (tag, entry_key) VALUES (?, ?)', [tag, entryKey]);
  const files = new Set(fields.files);
  for (const path of files)
    db.run('INSERT OR IGNORE INTO entry_file (path, entry_key) VALUES (?, ?)', [path, entryKey]);
}

/** Removes every derived row of one entry's text, vectors included; the `entry` row itself stays. */
export function unindexText(db: Database, entryKey: number): void {
  const removed = db.run('DELETE FROM vector WHERE passage_key IN (SELECT key FROM passage WHERE entry_key = ?)', [
    entryKey,
  ]);
  // A scan cache can see new vectors by their key but not missing ones: this counter tells it to read anew.
  if (removed.changes > 0) bumpVectorGeneration(db);
  db.run('DELETE FROM passage WHERE entry_key = ?', [entryKey]);
  db.run('DELETE FROM entry_fts WHERE rowid = ?', [entryKey]);
  db.run('DELETE FROM identifier_tri WHERE rowid = ?', [entryKey]);
  for (const table of ['signature', 'entry_tag', 'entry_file'])
    db.run(`DELETE FROM ${table} WHERE entry_key = ?`, [entryKey]);
}

/** Tells every process that vectors have been removed or replaced. */
export function bumpVectorGeneration(db: Database): void {
  db.run(
    "INSERT INTO meta (key, value) VALUES ('vector_generation', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
  );
}
