import type { Database } from '../../storage/index.ts';
import { SIGNATURE_LEVEL } from '../store/index-entry.ts';
import type { RecallQuery } from './query.ts';

/** One passage of a candidate as scoring needs it. */
export interface CandidatePassage {
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** Number of tokens. */
  readonly length: number;
  readonly bag: Uint8Array;
}

/** The term bags of one candidate. */
export interface CandidateText {
  readonly passages: readonly CandidatePassage[];
  /** Of the whole document. */
  readonly bag: Uint8Array;
  readonly length: number;
}

/** How entries meet a query apart from words and meaning. */
export interface KeyMatches {
  readonly identical: ReadonlySet<number>;
  readonly signature: ReadonlyMap<number, 'exact' | 'core'>;
}

/** Entries that are equal to the query or have its signature: by index, exact under any load. */
export function findByKeys(db: Database, query: RecallQuery): KeyMatches {
  const identical = new Set<number>();
  for (const { contentHash } of query.drafts) {
    const rows = db.all<{ key: number }>(
      `SELECT key FROM entry INDEXED BY entry_content WHERE content_hash = ?1 AND state IN ('active', 'quarantined')
       UNION ALL SELECT key FROM entry INDEXED BY entry_inactive WHERE content_hash = ?1 AND state NOT IN ('active', 'quarantined')`,
      [contentHash],
    );
    for (const { key } of rows) identical.add(key);
  }
  const signature = new Map<number, 'exact' | 'core'>();
  const keys = query.isError && !query.isProbe ? query.signatureKeys : undefined;
  if (keys !== undefined) {
    for (const { entry_key } of signatureRows(db, keys.core ?? '', SIGNATURE_LEVEL.core))
      signature.set(entry_key, 'core');
    for (const { entry_key } of signatureRows(db, keys.exact, SIGNATURE_LEVEL.exact)) signature.set(entry_key, 'exact');
  }
  return { identical, signature };
}

/** Of one error that was met very often, only so many fixes are looked at. */
const MAX_SAME_SIGNATURE = 200;

function signatureRows(db: Database, key: string, level: number): { entry_key: number }[] {
  return db.all('SELECT entry_key FROM signature WHERE key = ? AND level = ? ORDER BY entry_key DESC LIMIT ?', [
    key,
    level,
    MAX_SAME_SIGNATURE,
  ]);
}

/** Entries with this exact signature key. */
export function entriesWithSignature(db: Database, key: string): Set<number> {
  return new Set(signatureRows(db, key, SIGNATURE_LEVEL.exact).map(({ entry_key }) => entry_key));
}

/** The bags of entries, by entry key. */
export function readCandidateTexts(db: Database, entryKeys: readonly number[]): Map<number, CandidateText> {
  interface PassageRow extends CandidatePassage {
    readonly entryKey: number;
  }
  const list = JSON.stringify(entryKeys);
  const passages = new Map<number, PassageRow[]>();
  const rows = db.all<PassageRow>(
    `SELECT entry_key AS entryKey, key, start, "end", terms AS length, bag FROM passage
     WHERE entry_key IN (SELECT value FROM json_each(?)) ORDER BY entry_key, n`,
    [list],
  );
  for (const row of rows) {
    const own = passages.get(row.entryKey);
    if (own === undefined) passages.set(row.entryKey, [row]);
    else own.push(row);
  }
  const documents = db.all<{ key: number; bag: Uint8Array | null; length: number }>(
    'SELECT key, bag, terms AS length FROM entry WHERE key IN (SELECT value FROM json_each(?))',
    [list],
  );
  return new Map(
    documents.map(({ key, bag, length }) => {
      const own = passages.get(key) ?? [];
      return [key, { passages: own, bag: bag ?? own[0]?.bag ?? new Uint8Array(0), length }];
    }),
  );
}

/** Entries of passages, by passage key. */
export function entriesOfPassages(db: Database, passageKeys: readonly number[]): Map<number, number> {
  const rows = db.all<{ key: number; entry_key: number }>(
    'SELECT key, entry_key FROM passage WHERE key IN (SELECT value FROM json_each(?))',
    [JSON.stringify(passageKeys)],
  );
  return new Map(rows.map(({ key, entry_key }) => [key, entry_key]));
}

/** The passages of entries, for a scan that is restricted to them. */
export function passagesOf(db: Database, entryKeys: readonly number[]): number[] {
  return db
    .all<{ key: number }>('SELECT key FROM passage WHERE entry_key IN (SELECT value FROM json_each(?))', [
      JSON.stringify(entryKeys),
    ])
    .map(({ key }) => key);
}
