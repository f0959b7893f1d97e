import { pathToFileURL } from 'node:url';
import { isCairnError } from '../kernel/index.ts';
import { Connection } from './connection.ts';
import type { SqlValue } from './database.ts';
import { type Driver, loadDriver } from './driver.ts';
import { fileSize } from './files.ts';

export interface SalvageInput {
  /** A file that may be damaged; a copy that nobody else uses. */
  readonly source: string;
  /** A sound file with the same tables; rows that it has already are kept. */
  readonly target: string;
  /** Tables whose rows are wanted, parents before children. */
  readonly tables: readonly string[];
  /** Values of `meta` take the place of the target's; else they only fill gaps. */
  readonly replaceMeta: boolean;
}

export interface SalvageReport {
  /** Rows that were added to the target. */
  readonly rows: number;
  /** Whether the source's own `meta` could be read, with the store's id. */
  readonly hasMeta: boolean;
}

/** Row numbers tried one by one across a hole, over the whole file, and without a hit before giving up behind the last row. */
const PROBES = 400_000;
const PROBES_PAST_END = 20_000;

/** Keys of `meta` that describe the file and not its content. */
const FILE_KEYS = ['schema_version', 'min_reader', 'min_writer'];

/**
 * Copies every row that can still be read: forwards until a damaged page, then backwards from the end, then row number by
 * row number across the hole. A row that the target refuses is left out. Never fails because of damage.
 */
export function salvageRows(input: SalvageInput): SalvageReport {
  const driver = loadDriver();
  const source = openDamaged(driver, input.source);
  if (source === undefined) return { rows: 0, hasMeta: false };
  const target = new Connection(driver.open(input.target, { readOnly: false }), input.target);
  try {
    // Rows come in any order and from a file with holes; the orphans are removed at the end.
    target.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE');
    const budget = { probes: PROBES };
    let rows = 0;
    for (const table of input.tables) rows += new TableSalvage(source, target, table, budget).run();
    const hasMeta = copyMeta(source, target, input.replaceMeta);
    removeOrphans(target);
    target.exec('COMMIT');
    return { rows, hasMeta };
  } finally {
    if (target.inTransaction) target.exec('ROLLBACK');
    target.close();
    source.close();
  }
}

function openDamaged(driver: Driver, path: string): Connection | undefined {
  const hasLog = (fileSize(`${path}-wal`) ?? 0) > 0;
  const ways = [
    ...(hasLog ? [() => driver.open(path, { readOnly: false })] : []),
    () => driver.open(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true }),
  ];
  for (const open of ways) {
    const connection = attemptRead(() => new Connection(open(), path));
    if (connection === undefined) continue;
    const isReadable = attemptRead(() => connection.get('SELECT count(*) FROM sqlite_schema')) !== undefined;
    if (isReadable) return connection;
    connection.close();
  }
  return undefined;
}

/** What a read of a damaged file gives; undefined where it fails. Only for reads of the source. */
function attemptRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Damage shows as many different errors, from "malformed" to a schema that does not parse; each means: not readable.
    return undefined;
  }
}

type Row = Record<string, SqlValue>;

class TableSalvage {
  readonly #source: Connection;
  readonly #target: Connection;
  readonly #table: string;
  readonly #budget: { probes: number };
  readonly #columns: readonly string[];
  readonly #insert: string;
  #rows = 0;

  constructor(source: Connection, target: Connection, table: string, budget: { probes: number }) {
    this.#source = source;
    this.#target = target;
    this.#table = quote(table);
    this.#budget = budget;
    const wanted = columnsOf(target, table);
    const present = attemptRead(() => columnsOf(source, table)) ?? [];
    this.#columns = wanted.filter((column) => present.includes(column)).map(quote);
    const marks = this.#columns.map(() => '?').join(', ');
    this.#insert = `INSERT OR IGNORE INTO ${this.#table} (${this.#columns.join(', ')}) VALUES (${marks})`;
  }

  run(): number {
    if (this.#columns.length === 0) return 0;
    const hasRowNumbers = attemptRead(() => this.#source.all(`SELECT rowid FROM ${this.#table} LIMIT 0`)) !== undefined;
    if (hasRowNumbers) this.#copyByRowNumber();
    else this.#copyInOrder();
    return this.#rows;
  }

  #copyByRowNumber(): void {
    const select = `SELECT rowid AS "row number", ${this.#columns.join(', ')} FROM ${this.#table}`;
    const first = this.#scan(`${select} ORDER BY rowid`, Number.NEGATIVE_INFINITY);
    if (first.isComplete) return;
    const last = this.#scan(`${select} ORDER BY rowid DESC`, first.reached);
    let position = Number.isFinite(first.reached) ? first.reached : 0;
    let misses = 0;
    while (this.#budget.probes-- > 0 && position < last.reached - 1 && misses < PROBES_PAST_END) {
      position++;
      const row = attemptRead(() => this.#source.get<Row>(`${select} WHERE rowid = ?`, [position]));
      if (row === undefined) {
        misses++;
        continue;
      }
      misses = 0;
      this.#add(row);
    }
  }

  /** Copies until the end, until damage, or until a row number that was reached from the other side. */
  #scan(sql: string, stop: number): { readonly isComplete: boolean; readonly reached: number } {
    let reached = stop === Number.NEGATIVE_INFINITY ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const isComplete = attemptRead(() => {
      for (const row of this.#source.iterate<Row>(sql)) {
        const number = Number(row['row number']);
        if (stop !== Number.NEGATIVE_INFINITY && number <= stop) break;
        reached = number;
        this.#add(row);
      }
      return true;
    });
    return { isComplete: isComplete === true, reached };
  }

  /** A table without row numbers: from both ends of its key. */
  #copyInOrder(): void {
    const select = `SELECT ${this.#columns.join(', ')} FROM ${this.#table}`;
    const key = attemptRead(() => keyOf(this.#source, this.#table)) ?? [];
    if (this.#scan(select, Number.NEGATIVE_INFINITY).isComplete || key.length === 0) return;
    this.#scan(
      `${select} ORDER BY ${key.map((column) => `${quote(column)} DESC`).join(', ')}`,
      Number.NEGATIVE_INFINITY,
    );
  }

  #add(row: Row): void {
    const values = this.#columns.map((column) => row[unquote(column)] ?? null);
    try {
      this.#rows += this.#target.run(this.#insert, values).changes;
    } catch (error) {
      // A full disk stops the salvage; a row that breaks a rule of the schema is what damage looks like.
      if (isCairnError(error)) throw error;
    }
  }
}

function columnsOf(db: Connection, table: string): string[] {
  return db.all<{ name: string }>(`PRAGMA table_info(${quote(table)})`).map(({ name }) => name);
}

function keyOf(db: Connection, quotedTable: string): string[] {
  return db
    .all<{ name: string; pk: number }>(`PRAGMA table_info(${quotedTable})`)
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
}

function copyMeta(source: Connection, target: Connection, replace: boolean): boolean {
  const rows = attemptRead(() => source.all<{ key: string; value: string }>('SELECT key, value FROM meta')) ?? [];
  const onConflict = replace ? 'DO UPDATE SET value = excluded.value' : 'DO NOTHING';
  for (const { key, value } of rows) {
    if (FILE_KEYS.includes(key) || typeof value !== 'string') continue;
    target.run(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) ${onConflict}`, [key, value]);
  }
  return rows.some(({ key }) => key === 'project_id');
}

/** Removing a row can orphan others; each round removes at least one, so it ends. */
function removeOrphans(target: Connection): void {
  for (;;) {
    const orphans = target.all<{ table: string; rowid: number | null }>('PRAGMA foreign_key_check');
    const removable = orphans.filter(({ rowid }) => rowid !== null);
    if (removable.length === 0) return;
    for (const { table, rowid } of removable) target.run(`DELETE FROM ${quote(table)} WHERE rowid = ?`, [rowid]);
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function unquote(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"');
}
