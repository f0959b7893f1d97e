import { createRequire, isBuiltin } from 'node:module';
import { CairnError } from '../kernel/index.ts';

/** One prepared statement, the slice that both libraries have. */
export interface DriverStatement {
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  iterate(...parameters: unknown[]): IterableIterator<unknown>;
}

/** One open connection, the slice that both libraries have. */
export interface DriverConnection {
  readonly isTransaction: boolean;
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

/** A SQLite library. `node:sqlite` and `@photostructure/sqlite` have the same API and pass one contract suite. */
export interface Driver {
  readonly name: DriverName;
  /** `location` is a path or a `file:` URI. No busy time-out: waiting is done by the caller. */
  open(location: string, options: { readonly readOnly: boolean }): DriverConnection;
  /** SQLite's online backup, page by page, off the calling thread; `path` may be a live database. */
  backup(source: DriverConnection, path: string): Promise<void>;
}

export type DriverName = 'node:sqlite' | '@photostructure/sqlite';

interface SqliteLibrary {
  readonly DatabaseSync: new (
    location: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => DriverConnection;
  readonly backup?: (source: DriverConnection, path: string, options: { readonly rate: number }) => Promise<unknown>;
}

/**
 * SQLite before 3.51.3 can damage a file when two processes checkpoint its log at the same moment
 * (the "WAL-reset bug", sqlite.org/wal.html#walresetbug); a built-in library older than that is passed over.
 */
const OLDEST_BUILTIN = [3, 51, 3] as const;

/** All pages in one step: the copy is one consistent read and cannot be restarted by writers. */
const PAGES_PER_STEP = 1 << 30;

/** Drivers that this Node can load, best first. Loads nothing. */
export function availableDrivers(): readonly DriverName[] {
  const drivers: DriverName[] = [];
  if (isBuiltin('node:sqlite') && isRecentEnough(process.versions['sqlite'])) drivers.push('node:sqlite');
  if (canResolve('@photostructure/sqlite')) drivers.push('@photostructure/sqlite');
  return drivers;
}

/**
 * The SQLite library of this process, loaded at the first call: the one inside Node where it is recent enough, else
 * the prebuilt package. Fails with `io_error` where neither loads. One process must not use both on one file: each would
 * drop the other's locks.
 */
export function loadDriver(name?: DriverName): Driver {
  const wanted = name ?? availableDrivers()[0];
  if (wanted === undefined) {
    throw new CairnError(
      'io_error',
      'No SQLite library could be loaded; install cairn-mcp again with its dependencies.',
    );
  }
  return toDriver(wanted, requireLibrary(wanted));
}

function toDriver(name: DriverName, library: SqliteLibrary): Driver {
  return {
    name,
    open: (location, { readOnly }) => new library.DatabaseSync(location, { readOnly, timeout: 0 }),
    async backup(source, path) {
      if (library.backup === undefined) throw new Error(`${name} has no backup function`);
      await library.backup(source, path, { rate: PAGES_PER_STEP });
    },
  };
}

/** `require` and not `import()`: the same line works in a module, in a CommonJS bundle and in a worker thread. */
function requireLibrary(name: DriverName): SqliteLibrary {
  const load = createRequire(import.meta.url);
  try {
    return load(name) as SqliteLibrary;
  } catch (error) {
    throw loadFailure(name, error);
  }
}

function loadFailure(name: DriverName, cause: unknown): CairnError {
  return new CairnError('io_error', `The SQLite library ${name} does not load on this system.`, { cause });
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false;
    throw cause;
  }
}

function isRecentEnough(version: string | undefined): boolean {
  const parts = (version ?? '0').split('.').map(Number);
  for (const [index, oldest] of OLDEST_BUILTIN.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}
