import type { Database } from '../../storage/index.ts';
import type { Entry, EntryKind, EntryState, EntryType, Provenance, RevisionFields, Trust } from '../model.ts';

interface EntryRow {
  readonly key: number;
  readonly id: string;
  readonly kind: EntryKind;
  readonly type: EntryType;
  readonly state: EntryState;
  readonly text: string;
  readonly fields: string;
  readonly n: number;
  readonly source_key: string | null;
  readonly workflow: string | null;
  readonly trust: Trust;
  readonly quality: number;
  readonly pinned: number;
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly superseded_by_id: string | null;
  readonly suspect: number;
  readonly worked: number;
  readonly failed: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The columns and joins of an {@link Entry}; append `WHERE …` over `e` (entry), `i` (identity), `r` (revision). */
const SELECT_ENTRY = `SELECT e.key, i.id, e.kind, e.type, e.state, r.text, r.fields, r.n, e.source_key, e.workflow, e.trust,
  e.quality, e.pinned, e.valid_from, e.valid_to, s.id AS superseded_by_id, e.suspect, e.worked, e.failed, e.created_at, e.updated_at
  FROM entry e JOIN entry_identity i ON i.key = e.key JOIN revision r ON r.key = e.revision_key
  LEFT JOIN entry_identity s ON s.key = e.superseded_by`;

function toEntry(row: EntryRow): Entry {
  return {
    key: row.key,
    id: row.id,
    kind: row.kind,
    type: row.type,
    state: row.state,
    text: row.text,
    fields: JSON.parse(row.fields) as RevisionFields,
    revision: row.n,
    ...(row.source_key === null ? {} : { sourceKey: row.source_key }),
    ...(row.workflow === null ? {} : { workflow: row.workflow }),
    trust: row.trust,
    quality: row.quality === 1,
    pinned: row.pinned === 1,
    validFrom: row.valid_from,
    ...(row.valid_to === null ? {} : { validTo: row.valid_to }),
    ...(row.superseded_by_id === null ? {} : { supersededBy: row.superseded_by_id }),
    suspect: row.suspect === 1,
    worked: row.worked,
    failed: row.failed,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Entries by key, in the order of the keys given; unknown keys are left out. */
export function readEntries(db: Database, keys: readonly number[]): Entry[] {
  if (keys.length === 0) return [];
  const rows = db.all<EntryRow>(`${SELECT_ENTRY} WHERE e.key IN (SELECT value FROM json_each(?))`, [
    JSON.stringify(keys),
  ]);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((key) => {
    const row = byKey.get(key);
    return row === undefined ? [] : [toEntry(row)];
  });
}

/** Entries that a condition over `e`, `i`, `r` selects; the condition is code, its values are bound. */
export function selectEntries(
  db: Database,
  condition: string,
  parameters: readonly (string | number | Uint8Array | null)[],
): Entry[] {
  return db.all<EntryRow>(`${SELECT_ENTRY} ${condition}`, parameters).map(toEntry);
}

/** The integer key of an id, or `undefined` for an unknown id. */
export function keyOf(db: Database, id: string): number | undefined {
  return db.get<{ key: number }>('SELECT key FROM entry_identity WHERE id = ?', [id])?.key;
}

/** The state of an entry, `undefined` for an unknown key. */
export function stateOf(db: Database, key: number): EntryState | undefined {
  return db.get<{ state: EntryState }>('SELECT state FROM entry WHERE key = ?', [key])?.state;
}

/** The id of a key that exists. */
export function idOf(db: Database, key: number): string {
  const row = db.get<{ id: string }>('SELECT id FROM entry_identity WHERE key = ?', [key]);
  if (row === undefined) throw new Error(`no entry has the key ${key}`);
  return row.id;
}

/** A row of `provenance`. */
export interface ProvenanceRow {
  readonly source: string;
  readonly author: string | null;
  readonly host: string | null;
  readonly session: string | null;
  readonly branch: string | null;
  readonly commit_id: string | null;
  readonly file: string | null;
  readonly file_hash: string | null;
  readonly at: number;
}

export function toProvenance(row: ProvenanceRow): Provenance {
  return {
    source: row.source,
    ...(row.author === null ? {} : { author: row.author }),
    ...(row.host === null ? {} : { host: row.host }),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.branch === null ? {} : { branch: row.branch }),
    ...(row.commit_id === null ? {} : { commit: row.commit_id }),
    ...(row.file === null ? {} : { file: row.file }),
    ...(row.file_hash === null ? {} : { fileHash: row.file_hash }),
    at: row.at,
  };
}

/** All observations of an entry, oldest first. */
export function readProvenance(db: Database, entryKey: number): Provenance[] {
  return db
    .all<ProvenanceRow>('SELECT * FROM provenance WHERE entry_key = ? ORDER BY key', [entryKey])
    .map(toProvenance);
}

export function writeProvenance(db: Database, entryKey: number, eventSeq: number, from: Provenance): void {
  db.run(
    `INSERT INTO provenance (entry_key, event_seq, source, author, host, session, branch, commit_id, file, file_hash, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      entryKey,
      eventSeq,
      from.source,
      from.author ?? null,
      from.host ?? null,
      from.session ?? null,
      from.branch ?? null,
      from.commit ?? null,
      from.file ?? null,
      from.fileHash ?? null,
      from.at,
    ],
  );
}
