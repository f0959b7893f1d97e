import { type Clock, throwIfCancelled } from '../kernel/index.ts';
import { Connection } from './connection.ts';
import { type Driver, loadDriver } from './driver.ts';
import { createFile } from './files.ts';
import { isBusy, toStoreError } from './sqlite-errors.ts';

/** Longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE_MS = 50;

/**
 * Runs `body` while no other process runs one under the same path. The lock is SQLite's own exclusive lock on an empty
 * file: the system releases it when its holder is killed, which a lock file by name cannot promise. The file stays.
 * Fails with `store_locked` after `waitMs`.
 */
export async function withFileLock<T>(
  path: string,
  options: { readonly clock: Clock; readonly waitMs: number; readonly driver?: Driver; readonly signal?: AbortSignal },
  body: () => Promise<T>,
): Promise<T> {
  const { clock, waitMs, signal } = options;
  createFile(path, '');
  const connection = openLock(options.driver ?? loadDriver(), path);
  try {
    for (const end = clock.monotonic() + waitMs; ; ) {
      throwIfCancelled(signal);
      try {
        connection.execNow('BEGIN EXCLUSIVE');
        break;
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() >= end) throw error;
      }
      await clock.sleep(1 + Math.random() * LONGEST_PAUSE_MS);
    }
    return await body();
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    connection.close();
  }
}

function openLock(driver: Driver, path: string): Connection {
  try {
    return new Connection(driver.open(path, { readOnly: false }), path);
  } catch (error) {
    throw toStoreError(error, path);
  }
}
