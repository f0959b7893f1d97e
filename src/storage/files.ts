import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Only the owner may read what an agent learned; set explicitly, so that a lax umask changes nothing. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Makes a private folder that Git ignores. One that is there already is left exactly as it is. */
export function ensureStoreFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true, mode: FOLDER_MODE });
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process was first; it writes the ignore file.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  createFile(join(folder, '.gitignore'), '*\n');
}

/** Writes a file that must not exist yet; gives false, and leaves it alone, when it does. */
export function createFile(path: string, content: string | Uint8Array): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: FILE_MODE });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces a file so that a reader, or a crash, sees either the old or the new content and nothing between. */
export function writeFileAtomically(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', FILE_MODE);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes renames and new names in a folder survive a power cut. Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Flushes a file that was written by other means. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Size in bytes of a file, or undefined where there is none. */
export function fileSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** What tells one file at a path from another that replaced it; undefined where there is none. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

/** True for anything at the path, dangling links included. */
export function hasEntry(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
