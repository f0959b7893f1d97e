import { closeSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { fileSize } from './files.ts';
import { copyPrivately } from './swap.ts';

/** The header of sqlite.org/fileformat.html, section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Most that a header may ask for, as a multiple of the file's size: a damaged page count must not fill the disk. */
const GROWTH = 64;

/**
 * Makes a working copy of a damaged database (with its log) whose length fits its header again, filled up with zeros:
 * SQLite refuses to open a file that is cut, but reads the pages that are left of one that is whole.
 */
export function makeReadable(quarantined: string): string {
  const work = `${quarantined}.work`;
  copyPrivately(quarantined, work);
  if ((fileSize(`${quarantined}-wal`) ?? 0) > 0) copyPrivately(`${quarantined}-wal`, `${work}-wal`);
  const file = openSync(work, 'r+');
  try {
    const header = readHeader(file);
    const size = statSync(work).size;
    if (header === undefined) return work;
    const pages = Math.max(Math.ceil(size / header.pageSize), header.pages);
    if (pages * header.pageSize <= size * GROWTH) ftruncateSync(file, pages * header.pageSize);
  } finally {
    closeSync(file);
  }
  return work;
}

/** Page size and page count as the header states them; undefined where it is no SQLite file. */
function readHeader(file: number): { readonly pageSize: number; readonly pages: number } | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const stated = header.readUInt16BE(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  return { pageSize, pages: header.readUInt32BE(28) };
}
