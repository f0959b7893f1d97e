import type { Database, SqlValue } from '../../storage/index.ts';
import type { EntryKind, EntryType } from '../model.ts';

/** What a caller narrows a recall to. */
export interface RecallFilters {
  readonly types?: readonly EntryType[] | undefined;
  readonly kinds?: readonly EntryKind[] | undefined;
  /** Entries with any of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Entries that name this file, or one below this folder; relative to the project. */
  readonly path?: string | undefined;
  /** Created at or after this time, in milliseconds. */
  readonly since?: number | undefined;
  /** What held at this time, in milliseconds; entries that were replaced later included. */
  readonly asOf?: number | undefined;
  /** Closed and superseded entries too. */
  readonly includeClosed?: boolean | undefined;
}

/** A condition over the table `entry e` with its bound values. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Quarantined entries are matched as well, so that they can be counted; they are never given. */
const LIVE = "e.state IN ('active', 'quarantined')";

/** The filters as SQL over `e`; `undefined` where the state alone decides. */
export function toCondition(filters: RecallFilters): Condition | undefined {
  const clauses: string[] = [];
  const parameters: SqlValue[] = [];
  const add = (clause: string, ...values: SqlValue[]): void => {
    clauses.push(clause);
    parameters.push(...values);
  };
  if (filters.types !== undefined) add('e.type IN (SELECT value FROM json_each(?))', JSON.stringify(filters.types));
  if (filters.kinds !== undefined) add('e.kind IN (SELECT value FROM json_each(?))', JSON.stringify(filters.kinds));
  if (filters.tags !== undefined) {
    add(
      'e.key IN (SELECT entry_key FROM entry_tag WHERE tag IN (SELECT value FROM json_each(?)))',
      JSON.stringify(filters.tags),
    );
  }
  if (filters.path !== undefined) {
    const path = normalisePath(filters.path);
    // Everything below a folder sorts between its name with a slash and its name with the character after the slash.
    const range = [path, `${path}/`, `${path}0`];
    add(
      `e.key IN (SELECT entry_key FROM entry_file WHERE path = ? OR (path >= ? AND path < ?)
         UNION SELECT entry_key FROM provenance WHERE file = ? OR (file >= ? AND file < ?))`,
      ...range,
      ...range,
    );
  }
  if (filters.since !== undefined) add('e.created_at >= ?', filters.since);
  if (filters.asOf !== undefined) {
    add(
      "e.state IN ('active', 'quarantined', 'closed', 'superseded') AND e.valid_from <= ? AND (e.valid_to IS NULL OR e.valid_to > ?)",
      filters.asOf,
      filters.asOf,
    );
  } else if (filters.includeClosed === true) add("e.state IN ('active', 'quarantined', 'closed', 'superseded')");
  if (clauses.length === 0) return undefined;
  if (filters.asOf === undefined && filters.includeClosed !== true) clauses.push(LIVE);
  return { sql: clauses.join(' AND '), parameters };
}

/** `./docs//x/` and `docs/x` are the same folder. */
function normalisePath(path: string): string {
  return path
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** The entries that a condition lets through, or `undefined` for all that are live. */
export function selectKeys(db: Database, condition: Condition | undefined): readonly number[] | undefined {
  if (condition === undefined) return undefined;
  return db
    .all<{ key: number }>(`SELECT e.key FROM entry e WHERE ${condition.sql}`, condition.parameters)
    .map(({ key }) => key);
}

/** Entries that are indexed and may not be given, newest first: few in any store. */
export function inactiveKeys(db: Database): number[] {
  return db
    .all<{ key: number }>(
      "SELECT key FROM entry INDEXED BY entry_inactive WHERE state NOT IN ('active', 'quarantined')",
    )
    .map(({ key }) => key);
}
