import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CairnError } from '../kernel/index.ts';
import { type BackupDeps, createBackup, verifyDatabase } from './backup.ts';
import { withFileLock } from './file-lock.ts';
import { ensureStoreFolder } from './files.ts';
import { type OpenStoreOptions, openStore } from './open-store.ts';
import { probeStore } from './probe.ts';
import type { Backup } from './retention.ts';
import { toStoreError } from './sqlite-errors.ts';
import { writeStoreFile } from './store-file.ts';
import { copyPrivately, publishContent, quarantineStore } from './swap.ts';

export interface RestoreOptions extends Omit<OpenStoreOptions, 'mode' | 'beforeMigration'> {
  /** The backup file to restore. */
  readonly backup: string;
  readonly backups: BackupDeps;
  /** Gives the number of entries; kept in `store.json`. */
  readonly countSql: string;
}

export interface RestoreReport {
  readonly entries: number;
  /** The backup of what was there before; undefined where there was no sound store. */
  readonly before?: Backup;
  /** The damaged files that were there before. */
  readonly quarantined_path?: string;
}

/** Longest wait for another restore or recovery, in milliseconds. */
const RESTORE_WAIT_MS = 120_000;

/**
 * Puts a backup in the place of the present content: checks the backup, saves the present state, brings a copy of the
 * backup to this program's schema, and then swaps in one write transaction. Programs that have the store open go on with
 * the restored content. Fails with `store_damaged` (`field: 'backup'`) when the backup itself is not sound.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { path, clock } = options;
  try {
    ensureStoreFolder(dirname(path));
    return await withFileLock(join(dirname(path), 'recovery.lock'), { clock, waitMs: RESTORE_WAIT_MS }, () =>
      restore(options),
    );
  } catch (error) {
    throw toStoreError(error, path);
  }
}

async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { path, backup, backups } = options;
  const { ok, problems } = await verifyDatabase(backup, backups.worker);
  if (!ok) {
    throw new CairnError(
      'store_damaged',
      `The backup ${backup} is damaged (${problems[0] ?? 'unknown'}); choose another one.`,
      {
        field: 'backup',
      },
    );
  }
  const before = await savePresent(options);
  const work = mkdtempSync(join(dirname(path), 'restore-'));
  try {
    const copy = join(work, 'memory.db');
    copyPrivately(backup, copy);
    const entries = await prepare(copy, options);
    await publishContent({ path: copy, isLive: true }, path, backups.worker);
    const store = await openStore({ ...options, mode: 'existing' });
    writeStoreFile(dirname(path), { project_id: store.projectId, schema_version: store.schemaVersion, entries });
    store.close();
    return { entries, ...before };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Migrates the copy and empties its log, so that the file alone is the whole of it. */
async function prepare(copy: string, options: RestoreOptions): Promise<number> {
  const store = await openStore({ ...options, path: copy, mode: 'existing' });
  try {
    const row = store.db.get<Record<string, number>>(options.countSql) ?? {};
    store.db.get('PRAGMA wal_checkpoint(TRUNCATE)');
    return Number(Object.values(row)[0] ?? 0);
  } finally {
    store.close();
  }
}

async function savePresent(options: RestoreOptions): Promise<Omit<RestoreReport, 'entries'>> {
  const { path, backups, clock } = options;
  const state = probeStore(path);
  if (state === 'absent') return {};
  if (state === 'present' && (await verifyDatabase(path, backups.worker)).ok) {
    return { before: await createBackup({ path, readOnly: false }, 'restore', backups) };
  }
  return { quarantined_path: quarantineStore(path, clock) };
}
