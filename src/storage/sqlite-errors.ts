import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CairnError, type ErrorCode, isCairnError } from '../kernel/index.ts';

/** Primary result codes of sqlite.org/rescode.html that are expected in the field. */
const RESULT = {
  perm: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

/**
 * The texts that SQLite itself gives for these codes (`sqlite3_errstr`). `@photostructure/sqlite` 1.2.1 leaves the number
 * out of what `all` and `iterate` throw, and keeps the text.
 */
const CODE_OF_TEXT: Readonly<Record<string, number>> = {
  'access permission denied': RESULT.perm,
  'database is locked': RESULT.busy,
  'database table is locked': RESULT.locked,
  'attempt to write a readonly database': RESULT.readOnly,
  'disk I/O error': RESULT.ioError,
  'database disk image is malformed': RESULT.corrupt,
  'database or disk is full': RESULT.full,
  'unable to open database file': RESULT.cantOpen,
  'file is not a database': RESULT.notADatabase,
};

interface SqliteFailure extends Error {
  readonly errcode?: unknown;
}

function isSqliteFailure(value: unknown): value is SqliteFailure {
  if (!(value instanceof Error)) return false;
  const { errcode, code } = value as { errcode?: unknown; code?: unknown };
  return typeof errcode === 'number' || code === 'ERR_SQLITE_ERROR';
}

/** 0 for a failure that gives neither a number nor a known text. */
function primaryCode({ errcode, message }: SqliteFailure): number {
  return typeof errcode === 'number' ? errcode & 0xff : (CODE_OF_TEXT[message] ?? 0);
}

/** Whether another connection holds a lock that this call needs. */
export function isBusy(value: unknown): boolean {
  if (isCairnError(value)) return value.code === 'store_locked';
  return isSqliteFailure(value) && (primaryCode(value) === RESULT.busy || primaryCode(value) === RESULT.locked);
}

/**
 * A thrown value as the error that leaves the room. Faults of the statement itself (syntax, constraint, wrong type) are
 * defects of the caller and pass unchanged.
 */
export function toStoreError(value: unknown, path: string): unknown {
  if (isCairnError(value)) return value;
  if (isSqliteFailure(value)) {
    const code = codeOf(primaryCode(value), path);
    return code === undefined ? value : storeError(code, path, value);
  }
  const code = codeOfSystemError(value);
  return code === undefined ? value : storeError(code, path, value);
}

/** The coded error for a failure of the store at `path`; the message says what to do. */
export function storeError(code: ErrorCode, path: string, cause?: unknown): CairnError {
  const options = cause === undefined ? {} : { cause };
  switch (code) {
    case 'store_locked':
      return new CairnError(code, `Another process is writing to ${path}; call again in a moment.`, options);
    case 'store_damaged':
      return new CairnError(code, `The store ${path} is damaged.`, {
        ...options,
        repair: { command: 'cairn memory restore', note: 'lists the backups and restores the one that is chosen' },
      });
    case 'disk_full':
      return new CairnError(
        code,
        `No space is left for ${path}; nothing was written. Free space and call again.`,
        options,
      );
    case 'read_only':
      return new CairnError(code, `${path} is in a place that cannot be written to; reading goes on.`, options);
    case 'permission_denied':
      return new CairnError(code, `The file system does not permit access to ${path}; check owner and mode.`, options);
    default:
      return new CairnError(code, `The file system failed on ${path}.`, options);
  }
}

function codeOf(result: number, path: string): ErrorCode | undefined {
  switch (result) {
    case RESULT.busy:
    case RESULT.locked:
      return 'store_locked';
    case RESULT.corrupt:
    case RESULT.notADatabase:
      return 'store_damaged';
    case RESULT.full:
      return 'disk_full';
    case RESULT.readOnly:
      return 'read_only';
    case RESULT.perm:
      return 'permission_denied';
    // A full disk also shows as a failure to grow or to make one of the side files.
    case RESULT.ioError:
    case RESULT.cantOpen:
      if (!hasSpace(path)) return 'disk_full';
      return isReadable(path) ? 'io_error' : 'permission_denied';
    default:
      return undefined;
  }
}

function codeOfSystemError(value: unknown): ErrorCode | undefined {
  switch ((value as NodeJS.ErrnoException | undefined)?.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'disk_full';
    case 'EROFS':
      return 'read_only';
    case 'EACCES':
    case 'EPERM':
      return 'permission_denied';
    case 'EIO':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return 'io_error';
    default:
      return undefined;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

function hasSpace(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail > 0;
  } catch {
    // The folder cannot even be asked: not a question of space.
    return true;
  }
}
