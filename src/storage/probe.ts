import { dirname } from 'node:path';
import { fileSize } from './files.ts';
import { toStoreError } from './sqlite-errors.ts';
import { hasStoreFile } from './store-file.ts';

/** What sizes and names alone tell. */
export type FileState = 'absent' | 'present' | 'damaged';

/**
 * Whether there is a store at `path`. A missing or empty database beside a `store.json`, or beside a log that is not empty,
 * is `damaged` and not `absent`. Whether a `present` file is sound is for SQLite to say, at its opening.
 * Opens nothing on purpose: closing a file releases all locks that this process holds on it, those of SQLite too
 * (sqlite.org/howtocorrupt.html, 2.2). Fails with `permission_denied` or `io_error` where it may not even look.
 */
export function probeStore(path: string): FileState {
  try {
    if ((fileSize(path) ?? 0) > 0) return 'present';
    return hasStoreFile(dirname(path)) || (fileSize(`${path}-wal`) ?? 0) > 0 ? 'damaged' : 'absent';
  } catch (error) {
    throw toStoreError(error, path);
  }
}
