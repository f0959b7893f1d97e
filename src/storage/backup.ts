import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CairnError, type Clock } from '../kernel/index.ts';
import type { Store } from './database.ts';
import { FOLDER_MODE, fileSize, hasEntry, syncFolder } from './files.ts';
import { type Backup, type BackupReason, selectExpired } from './retention.ts';
import { toStoreError } from './sqlite-errors.ts';
import type { Verification } from './verify.ts';
import { runTask, type StorageWorker } from './worker-client.ts';

/** What work on backups needs besides a store. */
export interface BackupDeps {
  readonly clock: Clock;
  /** Absolute; `<user data>/backups/<project id>` by convention; made with mode 0700 where it is missing. */
  readonly folder: string;
  readonly worker?: StorageWorker;
}

const DAY_MS = 86_400_000;

/** Longest wait for a free moment of the target, in milliseconds. */
const COPY_WAIT_MS = 10_000;

/** `2026-01-31T08-05-09.123Z-daily.db`: sorts by time and is a file name everywhere. */
const NAME = /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)-(daily|migration|import|restore|forget|manual)\.db$/;

/**
 * Copies the store as it is at one moment, checks the copy, and then removes backups that are past their time. Writers go
 * on meanwhile. A copy that fails its check is deleted again and reported as `store_damaged`.
 */
export async function createBackup(
  store: Pick<Store, 'path' | 'readOnly'>,
  reason: BackupReason,
  deps: BackupDeps,
): Promise<Backup> {
  try {
    return await makeBackup(store, reason, deps);
  } catch (error) {
    throw toStoreError(error, deps.folder);
  }
}

async function makeBackup(
  store: Pick<Store, 'path' | 'readOnly'>,
  reason: BackupReason,
  deps: BackupDeps,
): Promise<Backup> {
  const { folder, clock, worker } = deps;
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  chmodSync(folder, FOLDER_MODE);
  let at = clock.now();
  while (hasEntry(join(folder, toName(at, reason)))) at++;
  const path = join(folder, toName(at, reason));
  const partial = `${path}.partial`;
  rmSync(partial, { force: true });
  try {
    await runTask(
      { kind: 'copy', source: store.path, isLive: !store.readOnly, target: partial, waitMs: COPY_WAIT_MS },
      worker,
    );
    const { ok, problems } = await runTask({ kind: 'verify', path: partial }, worker);
    if (!ok)
      throw new CairnError(
        'store_damaged',
        `${store.path} could not be backed up: ${problems[0] ?? 'unknown damage'}.`,
      );
    renameSync(partial, path);
    syncFolder(folder);
  } finally {
    rmSync(partial, { force: true });
  }
  for (const expired of selectExpired(listBackups(folder), clock.now())) rmSync(expired.path, { force: true });
  return { path, at, reason, bytes: statSync(path).size };
}

/** Makes the daily backup when the last one of any kind is a day old and the store was changed since; else undefined. */
export async function createDailyBackup(store: Store, deps: BackupDeps): Promise<Backup | undefined> {
  const newest = listBackups(deps.folder)[0];
  if (newest !== undefined && deps.clock.now() - newest.at < DAY_MS) return undefined;
  if (newest !== undefined && lastChange(store.path) <= newest.at) return undefined;
  return createBackup(store, 'daily', deps);
}

function lastChange(path: string): number {
  const times = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}

/** Backups of a folder, newest first; other files in it are left out. An absent folder has none. */
export function listBackups(folder: string): readonly Backup[] {
  if (!existsSync(folder)) return [];
  const backups: Backup[] = [];
  for (const name of readdirSync(folder)) {
    const parts = NAME.exec(name);
    if (parts === null) continue;
    const path = join(folder, name);
    const at = Date.parse(`${parts[1]}${parts[2]}:${parts[3]}:${parts[4]}`);
    backups.push({ path, at, reason: parts[5] as BackupReason, bytes: fileSize(path) ?? 0 });
  }
  return backups.sort((a, b) => b.at - a.at);
}

function toName(at: number, reason: BackupReason): string {
  return `${new Date(at).toISOString().replaceAll(':', '-')}-${reason}.db`;
}

/** SQLite's own check of a database file, in the worker where there is one. Changes nothing. */
export async function verifyDatabase(path: string, worker?: StorageWorker): Promise<Verification> {
  return runTask({ kind: 'verify', path }, worker);
}
