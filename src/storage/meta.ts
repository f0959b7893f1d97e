import type { Database } from './database.ts';

/**
 * The `meta` table: one value for each key. Storage makes it before the first migration and keeps `schema_version`,
 * `min_reader`, `min_writer`, `project_id` and `recovered` in it; rooms may add keys of their own.
 */
export const META_SCHEMA =
  'CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT';

/** The value of a key; undefined where there is none. */
export function readMeta(db: Database, key: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', [key])?.value;
}

/** Sets a key; undefined removes it. Only inside a write. */
export function writeMeta(db: Database, key: string, value: string | undefined): void {
  if (value === undefined) db.run('DELETE FROM meta WHERE key = ?', [key]);
  else
    db.run('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value', [
      key,
      value,
    ]);
}

const PROJECT_ID = /^prj_[0-9a-z]{26}$/;

/** The id where it is one that was made here: it becomes a folder's name, and a file may have come with a clone. */
export function toProjectId(value: unknown): string | undefined {
  return typeof value === 'string' && PROJECT_ID.test(value) ? value : undefined;
}

/** What the file says of its schema; `version` is -1 where nothing was ever migrated. */
export interface SchemaState {
  readonly version: number;
  /** Oldest schema version that a program must know to read this file. */
  readonly minReader: number;
  /** The same for writing. */
  readonly minWriter: number;
  readonly projectId: string | undefined;
}

const NO_SCHEMA: SchemaState = { version: -1, minReader: -1, minWriter: -1, projectId: undefined };

export function readSchemaState(db: Database): SchemaState {
  const table = db.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'");
  if (table === undefined) return NO_SCHEMA;
  const keys = "('schema_version', 'min_reader', 'min_writer', 'project_id')";
  const rows = db.all<{ key: string; value: string }>(`SELECT key, value FROM meta WHERE key IN ${keys}`);
  const find = (key: string): string | undefined => rows.find((row) => row.key === key)?.value;
  return {
    version: toInteger(find('schema_version')),
    minReader: toInteger(find('min_reader')),
    minWriter: toInteger(find('min_writer')),
    projectId: toProjectId(find('project_id')),
  };
}

function toInteger(text: string | undefined): number {
  const value = Number(text ?? -1);
  return Number.isInteger(value) ? value : -1;
}
