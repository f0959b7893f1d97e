import type { Database, SqlParameters } from './database.ts';
import type { DriverConnection, DriverStatement } from './driver.ts';
import { isBusy, toStoreError } from './sqlite-errors.ts';

/** Prepared statements kept per connection; the least recently used one goes. */
const STATEMENTS_KEPT = 256;

/**
 * Longest blocking wait of a read in milliseconds. Reads wait only while another process replays the log after a crash
 * or closes the file as its last user, which takes milliseconds; without a log (`journal_mode=DELETE`) also during a commit.
 */
const READ_WAIT_MS = 2_000;

/** A {@link Database} over one driver connection, with what the store itself needs besides. */
export class Connection implements Database {
  readonly #connection: DriverConnection;
  readonly #path: string;
  readonly #statements = new Map<string, DriverStatement>();

  constructor(connection: DriverConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  get handle(): DriverConnection {
    return this.#connection;
  }

  run(sql: string, parameters?: SqlParameters): { readonly changes: number; readonly lastInsertRowid: number } {
    const values = toArguments(parameters);
    refuseZeroCharacters(values);
    const { changes, lastInsertRowid } = this.#attempt(() => this.#statement(sql).run(...values));
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  }

  get<Row>(sql: string, parameters?: SqlParameters): Row | undefined {
    return this.#attempt(() => this.#statement(sql).get(...toArguments(parameters))) as Row | undefined;
  }

  all<Row>(sql: string, parameters?: SqlParameters): Row[] {
    return this.#attempt(() => this.#statement(sql).all(...toArguments(parameters))) as Row[];
  }

  *iterate<Row>(sql: string, parameters?: SqlParameters): IterableIterator<Row> {
    // Taken out of the cache while it runs, so that the same text can be used again inside the loop.
    const statement = this.#attempt(() => this.#statement(sql));
    this.#statements.delete(sql);
    const rows = this.#attempt(() => statement.iterate(...toArguments(parameters)));
    try {
      for (;;) {
        const step = this.#attempt(() => rows.next());
        if (step.done === true) break;
        yield step.value as Row;
      }
    } finally {
      rows.return?.();
      this.#keep(sql, statement);
    }
  }

  exec(sql: string): void {
    this.#attempt(() => this.#connection.exec(sql));
  }

  /** Like `exec`, without waiting for a lock: the caller waits without blocking. */
  execNow(sql: string): void {
    try {
      this.#connection.exec(sql);
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  #statement(sql: string): DriverStatement {
    const kept = this.#statements.get(sql);
    if (kept !== undefined) this.#statements.delete(sql);
    return this.#keep(sql, kept ?? this.#connection.prepare(sql));
  }

  #keep(sql: string, statement: DriverStatement): DriverStatement {
    this.#statements.set(sql, statement);
    if (this.#statements.size > STATEMENTS_KEPT) {
      const oldest = this.#statements.keys().next();
      if (oldest.done !== true) this.#statements.delete(oldest.value);
    }
    return statement;
  }

  #attempt<T>(body: () => T): T {
    let waited = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
      try {
        return body();
      } catch (error) {
        if (!isBusy(error) || waited >= READ_WAIT_MS) throw toStoreError(error, this.#path);
        blockFor(pause);
        waited += pause;
      }
    }
  }
}

function toArguments(parameters: SqlParameters | undefined): readonly unknown[] {
  if (parameters === undefined) return [];
  return Array.isArray(parameters) ? parameters : [parameters];
}

/** Both libraries read a text only as far as its first NUL: what is written with one would come back cut. */
function refuseZeroCharacters(values: readonly unknown[]): void {
  const [first] = values;
  const isNamed = typeof first === 'object' && first !== null && !ArrayBuffer.isView(first);
  for (const value of isNamed ? Object.values(first) : values) {
    if (typeof value === 'string' && value.includes('\0'))
      throw new TypeError('A text with a NUL character cannot be stored.');
  }
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
