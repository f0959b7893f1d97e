/** A value that SQLite stores. Integers are numbers; those beyond 2^53 are never stored. */
export type SqlValue = null | number | string | Uint8Array;
export type SqlParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * An open SQLite database, the slice that rooms need; both drivers pass one contract suite. Statements are prepared
 * once per text and kept. All calls are synchronous and return at once: waiting for a lock is the business of
 * {@link Store.write}. Failures are `CairnError`s (`store_locked`, `store_damaged`, `disk_full`, `read_only`, `io_error`).
 */
export interface Database {
  run(sql: string, parameters?: SqlParameters): { readonly changes: number; readonly lastInsertRowid: number };
  get<Row>(sql: string, parameters?: SqlParameters): Row | undefined;
  all<Row>(sql: string, parameters?: SqlParameters): Row[];
  iterate<Row>(sql: string, parameters?: SqlParameters): IterableIterator<Row>;
  /** Several statements without parameters or rows. */
  exec(sql: string): void;
}

/**
 * One schema step of a file. A file's schema version is the number of the last step it has seen; steps run in the order of
 * their numbers, all that are due in one transaction. A step that has shipped is never changed. The table `meta`
 * (`key`, `value`) is there before the first step: storage makes it.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Runs inside the write transaction of the whole migration. */
  apply(db: Database): void;
}

/** A store: one SQLite file shared by any number of processes. */
export interface Store {
  readonly path: string;
  readonly readOnly: boolean;
  /** For reads, and for nothing else. Each statement sees the newest committed state. */
  readonly db: Database;
  /** One consistent snapshot for several reads. */
  read<T>(body: (db: Database) => T): T;
  /**
   * One `BEGIN IMMEDIATE` transaction, committed and flushed to disk (`synchronous=FULL`) before the promise resolves.
   * Waits up to `waitMs` (10 s) for another writer without blocking the event loop; rolls back when `body` throws.
   * `body` is synchronous on purpose: no transaction may stay open across a turn of the loop.
   */
  write<T>(
    body: (db: Database) => T,
    options?: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<T>;
  close(): void;
}
