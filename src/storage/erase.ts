import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../kernel/index.ts';
import { listBackups, verifyDatabase } from './backup.ts';
import { Connection } from './connection.ts';
import type { Database, Store } from './database.ts';
import { loadDriver } from './driver.ts';
import { syncFile, syncFolder } from './files.ts';
import { storeError, toStoreError } from './sqlite-errors.ts';
import { runTask, type StorageWorker } from './worker-client.ts';

/** Longest wait for readers to leave the log, in milliseconds; after that a later call finishes the work. */
const CHECKPOINT_WAIT_MS = 1_000;

const WRITE_WAIT_MS = 10_000;

/**
 * Removes what deleted rows leave behind in the store's files: full-text indexes are merged, and the log is written back and
 * cut to nothing (freed pages were overwritten when the rows were deleted). `logPending` while a reader holds the log:
 * then its old pages are still in the file, and the call has to be made again later.
 */
export async function eraseResidue(
  store: Store,
  options: { readonly fullTextTables: readonly string[]; readonly clock: Clock; readonly worker?: StorageWorker },
): Promise<{ readonly logPending: boolean }> {
  const { fullTextTables, clock, worker } = options;
  if (fullTextTables.length > 0) {
    await runTask({ kind: 'optimize', path: store.path, tables: fullTextTables, waitMs: WRITE_WAIT_MS }, worker);
  }
  for (const end = clock.monotonic() + CHECKPOINT_WAIT_MS; ; ) {
    if (isLogEmptied(store.db)) return { logPending: false };
    if (clock.monotonic() >= end) return { logPending: true };
    await clock.sleep(5 + Math.random() * 20);
  }
}

function isLogEmptied(db: Database): boolean {
  return db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0;
}

/**
 * Applies a deletion to every backup of a folder, so that a restore does not bring erased rows back. `erase` runs in a write
 * transaction of a copy, which takes the backup's place when it is sound. A backup that cannot be rewritten is deleted:
 * what was erased must not stay. Gives the paths of both kinds.
 */
export async function rewriteBackups(
  folder: string,
  options: {
    readonly erase: (db: Database) => void;
    readonly fullTextTables: readonly string[];
    readonly worker?: StorageWorker;
  },
): Promise<{ readonly rewritten: readonly string[]; readonly deleted: readonly string[] }> {
  const rewritten: string[] = [];
  const deleted: string[] = [];
  for (const { path } of listBackups(folder)) {
    const copy = `${path}.rewriting`;
    try {
      copyFileSync(path, copy);
      eraseInCopy(copy, options);
      const { ok, problems } = await verifyDatabase(copy, options.worker);
      if (!ok) throw storeError('store_damaged', path, new Error(problems.join('; ')));
      syncFile(copy);
      renameSync(copy, path);
      rewritten.push(path);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'disk_full') throw error;
      rmSync(path, { force: true });
      deleted.push(path);
    } finally {
      for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
    }
    syncFolder(dirname(path));
  }
  return { rewritten, deleted };
}

/** Without a log: the copy is nobody else's, and must be whole without side files. */
function eraseInCopy(
  copy: string,
  options: { erase: (db: Database) => void; fullTextTables: readonly string[] },
): void {
  const db = new Connection(loadDriver().open(copy, { readOnly: false }), copy);
  try {
    db.exec(
      'PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE',
    );
    options.erase(db);
    for (const table of options.fullTextTables) db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
    db.exec('COMMIT');
  } catch (error) {
    throw toStoreError(error, copy);
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
    db.close();
  }
}
