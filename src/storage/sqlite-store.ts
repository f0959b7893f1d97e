import { dirname } from 'node:path';
import { CairnError, type Clock, type ErrorCode, throwIfCancelled } from '../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { Database, Store } from './database.ts';
import { isBusy, storeError, toStoreError } from './sqlite-errors.ts';
import { hasStoreFile } from './store-file.ts';

/** Longest wait for another process's write transaction, in milliseconds. */
const DEFAULT_WAIT_MS = 10_000;

/** Longest pause between two tries to get the write lock; short, so that a freed lock is seen at once. */
const LONGEST_PAUSE_MS = 25;

/** How one connection of a store is opened again when the file at its path was replaced. */
export interface StoreFileAccess {
  /** Opens a connection and checks that this program may read the file. */
  open(): Connection;
  /** Changes when another file took the place of the one that was opened; undefined where none is left. */
  identity(): string | undefined;
  /** Inside a write transaction: throws `store_newer` when the schema has moved beyond this program. */
  assertWritable(db: Database): void;
}

export interface SqliteStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The reason why nothing can be written; undefined for a store that is open for writing. */
  readonly refusal: ErrorCode | undefined;
  readonly access: StoreFileAccess;
}

/** {@link Store} on one connection. Writers of this process queue; writers of other processes are waited for. */
export class SqliteStore implements Store {
  readonly path: string;
  readonly #clock: Clock;
  readonly #refusal: ErrorCode | undefined;
  readonly #access: StoreFileAccess;
  #connection: Connection;
  #identity: string | undefined;
  #isClosed = false;
  #hasWritten = false;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: SqliteStoreOptions) {
    this.path = options.path;
    this.#clock = options.clock;
    this.#refusal = options.refusal;
    this.#access = options.access;
    this.#identity = options.access.identity();
    this.#connection = options.access.open();
  }

  get readOnly(): boolean {
    return this.#refusal !== undefined;
  }

  get db(): Database {
    return this.#current();
  }

  read<T>(body: (db: Database) => T): T {
    const db = this.#current();
    if (db.inTransaction) return body(db);
    db.exec('BEGIN');
    try {
      return body(db);
    } finally {
      if (db.inTransaction) db.exec('COMMIT');
    }
  }

  async write<T>(
    body: (db: Database) => T,
    options: { readonly signal?: AbortSignal; readonly waitMs?: number } = {},
  ): Promise<T> {
    if (this.#refusal !== undefined) throw storeError(this.#refusal, this.path);
    const turn = this.#lastWrite.then(() => this.#writeNow(body, options));
    // The next writer waits for the end of this one, whatever it was; the caller gets the failure.
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#hasWritten) this.#emptyLog();
    this.#connection.close();
  }

  async #writeNow<T>(
    body: (db: Database) => T,
    options: { readonly signal?: AbortSignal; readonly waitMs?: number },
  ): Promise<T> {
    const db = await this.#begin(options);
    try {
      this.#access.assertWritable(db);
      const result = body(db);
      if (result instanceof Promise) throw new TypeError('The body of a write must not be asynchronous.');
      db.exec('COMMIT');
      this.#hasWritten = true;
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after a full disk or an input/output error.
      if (db.inTransaction) db.exec('ROLLBACK');
      throw toStoreError(error, this.path);
    }
  }

  /**
   * SQLite does this itself when the last connection closes, but not every library closes while statements of a store
   * wait for the garbage collector; the next process would have to read the log first.
   */
  #emptyLog(): void {
    try {
      this.#connection.handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Best effort: every acknowledged write is in the log, and the next process reads it.
    }
  }

  /** Takes the write lock of the file that is at the path now. */
  async #begin(options: { readonly signal?: AbortSignal; readonly waitMs?: number }): Promise<Connection> {
    const end = this.#clock.monotonic() + (options.waitMs ?? DEFAULT_WAIT_MS);
    for (let tries = 0; ; tries++) {
      throwIfCancelled(options.signal);
      const db = this.#current();
      try {
        db.execNow('BEGIN IMMEDIATE');
        if (this.#access.identity() === this.#identity) return db;
        // Replaced while we waited: what we locked is not the store any more.
        db.exec('ROLLBACK');
        continue;
      } catch (error) {
        if (!isBusy(error) || this.#clock.monotonic() >= end) throw error;
      }
      await this.#pause(tries, options.signal);
    }
  }

  async #pause(tries: number, signal: AbortSignal | undefined): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE_MS, 2 + tries * 2);
    try {
      await this.#clock.sleep(1 + Math.random() * longest, signal);
    } catch (error) {
      throwIfCancelled(signal);
      throw error;
    }
  }

  /** The connection to the file that is at the path now; another one when the file was replaced (restore, recovery). */
  #current(): Connection {
    if (this.#isClosed) throw new Error(`The store ${this.path} is closed.`);
    const identity = this.#access.identity();
    if (identity === this.#identity || this.#connection.inTransaction) return this.#connection;
    if (identity === undefined) {
      if (hasStoreFile(dirname(this.path))) throw storeError('store_damaged', this.path);
      throw new CairnError(
        'io_error',
        `The store ${this.path} was removed while it was open; call again to start a new one.`,
      );
    }
    const next = this.#access.open();
    this.#connection.close();
    this.#connection = next;
    this.#identity = identity;
    return next;
  }
}
