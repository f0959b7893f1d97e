import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../kernel/index.ts';
import { Connection } from './connection.ts';
import { type Driver, type DriverConnection, loadDriver } from './driver.ts';
import { fileIdentity, fileSize } from './files.ts';
import { isBusy, toStoreError } from './sqlite-errors.ts';

/** Largest page that keeps a row with a vector of 384 float32 on one page with its neighbours (1,642 bytes a row instead of 2,055 at 4,096). */
const DEFAULT_PAGE_SIZE = 8_192;

/** Longest wait for another process that formats the same new file, in milliseconds. */
const FORMAT_WAIT_MS = 10_000;

/**
 * Set on each connection; none of them takes a lock. `temp_store=MEMORY` because nothing may be written outside the store
 * folder; `trusted_schema=OFF` because a file may come from elsewhere; the cache is 16 MiB at most.
 */
const CONNECTION_PRAGMAS = `
  PRAGMA busy_timeout = 0;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
  PRAGMA cache_size = -16384;
  PRAGMA journal_size_limit = 16777216;
`;

export interface ConnectionOptions {
  readonly path: string;
  readonly pageSize?: number;
  readonly driver?: Driver;
  readonly vfs?: string;
}

/** Opens connections to one file, each time in the way that its present state asks for. */
export class ConnectionOpener {
  readonly #options: ConnectionOptions;
  readonly #readOnly: boolean;
  readonly #driver: Driver;
  readonly #warnings = new Set<string>();
  #isLogHidden = false;

  constructor(options: ConnectionOptions, readOnly: boolean) {
    this.#options = options;
    this.#readOnly = readOnly;
    this.#driver = options.driver ?? loadDriver();
  }

  /** What a person should know about the way the file is open. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** The file has a log that may not be opened here, so its newest rows, or all of them, are out of sight. */
  get isLogHidden(): boolean {
    return this.#isLogHidden;
  }

  open(): Connection {
    const connection = this.#readOnly ? this.#openReadOnly() : this.#openHandle({ readOnly: false });
    try {
      connection.exec(CONNECTION_PRAGMAS);
      if (!this.#readOnly) this.#noteJournalMode(connection);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /**
   * Sets page size and write-ahead log of a new file. Several processes may do so at once; a file system without
   * shared memory keeps the rollback journal.
   */
  async formatFile(clock: Clock): Promise<void> {
    const connection = this.#openHandle({ readOnly: false });
    const end = clock.monotonic() + FORMAT_WAIT_MS;
    try {
      for (;;) {
        try {
          connection.execNow(
            `PRAGMA page_size = ${this.#options.pageSize ?? DEFAULT_PAGE_SIZE}; PRAGMA journal_mode = WAL;`,
          );
          return;
        } catch (error) {
          if (!isBusy(error) || clock.monotonic() >= end) throw error;
        }
        await clock.sleep(1 + Math.random() * 10);
      }
    } finally {
      connection.close();
    }
  }

  /** Changes when the file was replaced; of a file that is read as immutable also when it was changed in place. */
  identity(): string | undefined {
    const { path } = this.#options;
    const identity = fileIdentity(path);
    if (identity === undefined || !this.#readOnly) return identity;
    const { size, mtimeMs } = statSync(path);
    return `${identity}:${size}:${mtimeMs}:${hasLog(path)}`;
  }

  /** Without a log nothing but the file itself is needed, so no side file is made beside it. */
  #openReadOnly(): Connection {
    const { path } = this.#options;
    if (!hasLog(path)) return this.#openHandle({ readOnly: true, immutable: true });
    const connection = this.#openHandle({ readOnly: true });
    try {
      connection.get('SELECT 1 FROM sqlite_schema LIMIT 1');
      return connection;
    } catch (error) {
      connection.close();
      const { code } = error as { code?: unknown };
      if (code === 'store_damaged' || code === 'store_locked') throw error;
      this.#isLogHidden = true;
      this.#warnings.add(
        `The log beside ${path} cannot be opened here; the newest writes may be missing from answers.`,
      );
      return this.#openHandle({ readOnly: true, immutable: true });
    }
  }

  #openHandle(how: { readonly readOnly: boolean; readonly immutable?: boolean }): Connection {
    const { path, vfs } = this.#options;
    const parameters = new URLSearchParams();
    if (how.immutable === true) parameters.set('immutable', '1');
    if (vfs !== undefined) parameters.set('vfs', vfs);
    const location = parameters.size === 0 ? path : `${pathToFileURL(path).href}?${parameters}`;
    let handle: DriverConnection;
    try {
      handle = this.#driver.open(location, { readOnly: how.readOnly });
    } catch (error) {
      throw toStoreError(error, path);
    }
    return new Connection(handle, path);
  }

  #noteJournalMode(connection: Connection): void {
    const mode = connection.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode;
    if (mode === 'wal') return;
    this.#warnings.add(
      `The file system of ${this.#options.path} has no write-ahead log (journal_mode=${mode}); writers and readers wait for each other.`,
    );
  }
}

function hasLog(path: string): boolean {
  return (fileSize(`${path}-wal`) ?? 0) > 0;
}
