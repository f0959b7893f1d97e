import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../kernel/index.ts';
import { FILE_MODE, FOLDER_MODE, syncFile, syncFolder } from './files.ts';
import { probeStore } from './probe.ts';
import { runTask, type StorageWorker } from './worker-client.ts';

/** Longest wait for the present store's writers, in milliseconds. */
const COPY_WAIT_MS = 10_000;

/** The database and the side files that hold rows. */
const FILES = ['', '-wal'] as const;

/** Copies a store's files to `<store folder>/quarantine/<time>/`, where they stay until a person removes them. */
export function quarantineStore(path: string, clock: Clock): string {
  const parent = join(dirname(path), 'quarantine');
  mkdirSync(parent, { recursive: true, mode: FOLDER_MODE });
  let at = clock.now();
  const nameOf = (time: number): string => join(parent, new Date(time).toISOString().replaceAll(':', '-'));
  while (existsSync(nameOf(at))) at++;
  const folder = nameOf(at);
  mkdirSync(folder, { mode: FOLDER_MODE });
  for (const suffix of FILES) {
    if (existsSync(path + suffix)) copyWithoutClosing(path + suffix, join(folder, basename(path) + suffix));
  }
  syncFolder(folder);
  return join(folder, basename(path));
}

/**
 * Copies a file that this process may have open in SQLite. The source stays open until the process ends, because closing it
 * would release SQLite's locks on it; that is one handle for each time a damaged store is met.
 */
function copyWithoutClosing(source: string, target: string): void {
  const from = openSync(source, 'r');
  const to = openSync(target, 'wx', FILE_MODE);
  try {
    const buffer = Buffer.alloc(1 << 20);
    for (;;) {
      const length = readSync(from, buffer, 0, buffer.length, null);
      if (length === 0) break;
      writeSync(to, buffer, 0, length);
    }
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}

/** A copy has an inode of its own: no connection that was ever opened on the source shares locks or memory with it. */
export function copyPrivately(source: string, target: string): void {
  copyFileSync(source, target);
  chmodSync(target, FILE_MODE);
  syncFile(target);
}

/**
 * Gives a store the content of a sound database file. Where the present file can still be opened this is one write
 * transaction, page by page: its other users wait, and see the old content or the new. Where it cannot, nobody can write to
 * it either, and a copy takes its place.
 */
export async function publishContent(
  source: { readonly path: string; readonly isLive: boolean },
  path: string,
  worker?: StorageWorker,
): Promise<void> {
  if (probeStore(path) === 'present') {
    try {
      await runTask(
        { kind: 'copy', source: source.path, isLive: source.isLive, target: path, waitMs: COPY_WAIT_MS },
        worker,
      );
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'store_damaged') throw error;
    }
  }
  replaceFile(path, source.path);
}

/**
 * The old log goes first: a log beside another database would be replayed into it. In between, and after a crash there,
 * the store is seen as damaged, never as empty. Other processes notice the new file at their next use.
 */
function replaceFile(path: string, source: string): void {
  const temporary = `${path}.replacement`;
  rmSync(temporary, { force: true });
  copyPrivately(source, temporary);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(temporary, path);
  syncFolder(dirname(path));
}
