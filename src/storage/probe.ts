import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileSize } from './files.ts';
import { hasStoreFile } from './store-file.ts';

/** What a look at the file's first 100 bytes tells, without SQLite and without a lock. */
export type FileState = 'absent' | 'present' | 'damaged';

/** The header of sqlite.org/fileformat.html, section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/**
 * Whether there is a store at `path`. A missing or empty database beside a `store.json` is `damaged`, not `absent`; so
 * is a file without SQLite's header, and one that is shorter than its header says while no log holds the rest.
 */
export function probeStore(path: string): FileState {
  const size = fileSize(path) ?? 0;
  const logSize = fileSize(`${path}-wal`) ?? 0;
  if (size === 0) return logSize > 0 || !hasStoreFile(dirname(path)) ? absentOrPending(logSize) : 'damaged';
  const header = readHeader(path);
  if (header === undefined) return 'damaged';
  return logSize === 0 && size < header.pages * header.pageSize ? 'damaged' : 'present';
}

/** The first pages of a new store may be in the log alone until its first checkpoint. */
function absentOrPending(logSize: number): FileState {
  return logSize > 0 ? 'present' : 'absent';
}

/** Page size and page count as the header states them; undefined where it is no SQLite file. */
export function readHeader(path: string): { readonly pageSize: number; readonly pages: number } | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const stated = header.readUInt16BE(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  // The count is valid only if the change counter was written by a library that maintains it.
  const isCountValid = header.readUInt32BE(24) === header.readUInt32BE(92);
  return { pageSize, pages: isCountValid ? header.readUInt32BE(28) : 0 };
}
