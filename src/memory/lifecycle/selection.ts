import type { Database } from '../../storage/index.ts';
import type { Entry, EntryKind, EntryState, EntryType } from '../model.ts';
import { selectEntries } from '../store/entries.ts';

export type Order = 'newest' | 'oldest' | 'most_recalled';

/** Which entries; what is absent does not narrow. Times in milliseconds UTC. */
export interface Filters {
  readonly kind?: EntryKind | undefined;
  readonly type?: EntryType | undefined;
  /** Without it everything but the retracted and the erased. */
  readonly state?: Exclude<EntryState, 'erased'> | undefined;
  /** The event source of one of its observations. */
  readonly source?: string | undefined;
  readonly tag?: string | undefined;
  /** A file, or a folder with all that is below it; relative to the project. */
  readonly path?: string | undefined;
  /** Created at or after. */
  readonly since?: number | undefined;
  /** Created before. */
  readonly until?: number | undefined;
  readonly neverRecalled?: boolean | undefined;
  readonly suspect?: boolean | undefined;
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly (string | number)[];
}

/** Where a page begins: after the entry with this place in the order. */
export interface Place {
  readonly value: number;
  readonly key: number;
}

const RECALLED = 'COALESCE((SELECT u.recalled FROM usage u WHERE u.entry_key = e.key), 0)';

const ORDERS: Readonly<Record<Order, { readonly column: string; readonly direction: 'ASC' | 'DESC' }>> = {
  newest: { column: 'e.created_at', direction: 'DESC' },
  oldest: { column: 'e.created_at', direction: 'ASC' },
  most_recalled: { column: RECALLED, direction: 'DESC' },
};

/** `./docs//x/` and `docs/x` are the same folder. */
function normalisePath(path: string): string {
  return path
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function conditionsOf(filters: Filters): Condition[] {
  const conditions: Condition[] = [];
  const add = (sql: string, ...parameters: (string | number)[]): void => {
    conditions.push({ sql, parameters });
  };
  if (filters.state === undefined) add("e.state NOT IN ('retracted', 'erased')");
  else add('e.state = ?', filters.state);
  if (filters.kind !== undefined) add('e.kind = ?', filters.kind);
  if (filters.type !== undefined) add('e.type = ?', filters.type);
  if (filters.source !== undefined)
    add('EXISTS (SELECT 1 FROM provenance p WHERE p.entry_key = e.key AND p.source = ?)', filters.source);
  if (filters.tag !== undefined) add('e.key IN (SELECT t.entry_key FROM entry_tag t WHERE t.tag = ?)', filters.tag);
  if (filters.path !== undefined) addPath(add, normalisePath(filters.path));
  if (filters.since !== undefined) add('e.created_at >= ?', filters.since);
  if (filters.until !== undefined) add('e.created_at < ?', filters.until);
  if (filters.neverRecalled === true) add(`${RECALLED} = 0`);
  if (filters.suspect === true) add('e.suspect = 1');
  return conditions;
}

/** Files that an entry names, and the files that it was learned from. The root of the project narrows nothing. */
function addPath(add: (sql: string, ...parameters: string[]) => void, path: string): void {
  if (path === '') return;
  // Everything below a folder lies between `folder/` and `folder0`, since `0` follows `/`.
  const inside = (column: string): string => `(${column} = ? OR (${column} >= ? AND ${column} < ?))`;
  const bounds = [path, `${path}/`, `${path}0`];
  add(
    `(e.key IN (SELECT f.entry_key FROM entry_file f WHERE ${inside('f.path')}) OR EXISTS (SELECT 1 FROM provenance p WHERE p.entry_key = e.key AND ${inside('p.file')}))`,
    ...bounds,
    ...bounds,
  );
}

function whereOf(conditions: readonly Condition[]): { sql: string; parameters: (string | number)[] } {
  return {
    sql: `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    parameters: conditions.flatMap(({ parameters }) => [...parameters]),
  };
}

/** How many entries the filters select. */
export function countSelected(db: Database, filters: Filters): number {
  const { sql, parameters } = whereOf(conditionsOf(filters));
  return db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM entry e ${sql}`, parameters)?.n ?? 0;
}

/** One page in a stable order: entries with equal values follow each other by age. */
export function selectPage(
  db: Database,
  filters: Filters,
  order: Order,
  limit: number,
  after: Place | undefined,
): Entry[] {
  const { column, direction } = ORDERS[order];
  const compare = direction === 'ASC' ? '>' : '<';
  const place: Condition[] =
    after === undefined
      ? []
      : [
          {
            sql: `(${column} ${compare} ? OR (${column} = ? AND e.key ${compare} ?))`,
            parameters: [after.value, after.value, after.key],
          },
        ];
  const { sql, parameters } = whereOf([...conditionsOf(filters), ...place]);
  return selectEntries(db, `${sql} ORDER BY ${column} ${direction}, e.key ${direction} LIMIT ?`, [
    ...parameters,
    limit,
  ]);
}

/** The place of an entry in an order. */
export function placeOf(entry: Entry, recalled: number, order: Order): Place {
  return { value: order === 'most_recalled' ? recalled : entry.createdAt, key: entry.key };
}

/** How often each of some entries was recalled. */
export function readUsage(db: Database, keys: readonly number[]): Map<number, number> {
  const rows = db.all<{ entry_key: number; recalled: number }>(
    'SELECT entry_key, recalled FROM usage WHERE entry_key IN (SELECT value FROM json_each(?))',
    [JSON.stringify(keys)],
  );
  return new Map(rows.map(({ entry_key, recalled }) => [entry_key, recalled]));
}
