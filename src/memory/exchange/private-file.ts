import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { CairnError } from '../../kernel/index.ts';

/** Text is written in pieces of about so many characters; each write is a turn of the event loop. */
const PIECE_CHARS = 64 * 1024;

/**
 * Writes a file that only its owner may read, from pieces of text as they come. The file appears under its name when it
 * is whole, and replaces one that was there. Gives its size in bytes.
 */
export async function writePrivateFile(
  path: string,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<number> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    let bytes = 0;
    try {
      // A lax umask changes nothing.
      await file.chmod(0o600);
      let pending = '';
      const flush = async (): Promise<void> => {
        if (pending === '') return;
        bytes += (await file.write(pending)).bytesWritten;
        pending = '';
      };
      for await (const piece of pieces) {
        pending += piece;
        if (pending.length >= PIECE_CHARS) await flush();
      }
      await flush();
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    return bytes;
  } catch (error) {
    await rm(temporary, { force: true });
    throw toFileError(error, path);
  }
}

/** A failure of the file system as a coded error that names the path. */
export function toFileError(error: unknown, path: string): unknown {
  const cause = { cause: error };
  switch ((error as NodeJS.ErrnoException | undefined)?.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new CairnError('not_found', `${path} does not exist.`, { field: 'path', ...cause });
    case 'EISDIR':
      return new CairnError('invalid_input', `${path} is a folder.`, { field: 'path', ...cause });
    case 'EEXIST':
      return new CairnError('invalid_input', `${path} exists already.`, { field: 'path', ...cause });
    case 'EACCES':
    case 'EPERM':
      return new CairnError('permission_denied', `${path} may not be accessed; check its owner and mode.`, cause);
    case 'EROFS':
      return new CairnError('read_only', `${path} is in a place that cannot be written to.`, cause);
    case 'ENOSPC':
    case 'EDQUOT':
      return new CairnError('disk_full', `No space is left for ${path}.`, cause);
    case 'EIO':
      return new CairnError('io_error', `The file system failed on ${path}.`, cause);
    default:
      return error;
  }
}
