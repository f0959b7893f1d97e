import type { Database } from '../../storage/index.ts';
import type { EntryKind, EntryState } from '../model.ts';

/** One passage of a candidate as scoring needs it. */
export interface CandidatePassage {
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** Number of tokens. */
  readonly length: number;
  readonly bag: Uint8Array;
}

/** An entry as scoring and ordering need it: no text, which only the few that are given are read for. */
export interface Candidate {
  readonly key: number;
  readonly id: string;
  readonly kind: EntryKind;
  readonly state: EntryState;
  readonly workflow: string | undefined;
  readonly suspect: boolean;
  readonly worked: number;
  readonly failed: number;
  readonly updatedAt: number;
  readonly passages: readonly CandidatePassage[];
  /** Term bag of the whole document, and its number of tokens. */
  readonly bag: Uint8Array;
  readonly length: number;
  /** All of it is ASCII, and so in a script that the model knows. */
  readonly isAscii: boolean;
}

interface CandidateRow {
  readonly key: number;
  readonly id: string;
  readonly kind: EntryKind;
  readonly state: EntryState;
  readonly workflow: string | null;
  readonly suspect: number;
  readonly worked: number;
  readonly failed: number;
  readonly updated_at: number;
  readonly bag: Uint8Array | null;
  readonly terms: number;
  readonly ascii: number;
}

interface PassageRow extends CandidatePassage {
  readonly entryKey: number;
}

/** Entries by key, ready to be scored. */
export function readCandidates(db: Database, keys: readonly number[]): Candidate[] {
  const list = JSON.stringify(keys);
  const passages = new Map<number, PassageRow[]>();
  const passageRows = db.all<PassageRow>(
    `SELECT entry_key AS entryKey, key, start, "end", terms AS length, bag FROM passage
     WHERE entry_key IN (SELECT value FROM json_each(?)) ORDER BY entry_key, n`,
    [list],
  );
  for (const row of passageRows) {
    const own = passages.get(row.entryKey);
    if (own === undefined) passages.set(row.entryKey, [row]);
    else own.push(row);
  }
  const rows = db.all<CandidateRow>(
    `SELECT e.key, i.id, e.kind, e.state, e.workflow, e.suspect, e.worked, e.failed, e.updated_at, e.bag, e.terms,
       length(CAST(r.text AS BLOB)) = length(r.text) AS ascii
     FROM entry e JOIN entry_identity i ON i.key = e.key JOIN revision r ON r.key = e.revision_key
     WHERE e.key IN (SELECT value FROM json_each(?))`,
    [list],
  );
  return rows.map((row) => {
    const own = passages.get(row.key) ?? [];
    return {
      key: row.key,
      id: row.id,
      kind: row.kind,
      state: row.state,
      workflow: row.workflow ?? undefined,
      suspect: row.suspect === 1,
      worked: row.worked,
      failed: row.failed,
      updatedAt: row.updated_at,
      passages: own,
      bag: row.bag ?? own[0]?.bag ?? new Uint8Array(0),
      length: row.terms,
      isAscii: row.ascii === 1,
    };
  });
}

/** The present texts of entries, by key. */
export function readTexts(db: Database, keys: readonly number[]): Map<number, string> {
  if (keys.length === 0) return new Map();
  const rows = db.all<{ key: number; text: string }>(
    `SELECT e.key, r.text FROM entry e JOIN revision r ON r.key = e.revision_key
     WHERE e.key IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(keys)],
  );
  return new Map(rows.map(({ key, text }) => [key, text]));
}

/** Entries that name one of these files. */
export function entriesOfFiles(db: Database, files: readonly string[]): Set<number> {
  if (files.length === 0) return new Set();
  const rows = db.all<{ entry_key: number }>(
    'SELECT entry_key FROM entry_file WHERE path IN (SELECT value FROM json_each(?))',
    [JSON.stringify(files)],
  );
  return new Set(rows.map(({ entry_key }) => entry_key));
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
