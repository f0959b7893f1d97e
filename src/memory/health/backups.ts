import { dirname, join } from 'node:path';
import type { RequestContext } from '../../kernel/index.ts';
import {
  type Backup,
  type BackupDeps,
  type BackupReason,
  createBackup,
  createDailyBackup,
  readStoreFile,
} from '../../storage/index.ts';
import { backupFolderOf } from '../lifecycle/traces.ts';
import type { MemoryRuntime, OpenMemory, ScopeRequest } from '../runtime.ts';

/** Where and how the backups of a store are made. */
export function backupDepsOf(runtime: MemoryRuntime, memory: OpenMemory): BackupDeps {
  const { clock, storageWorker } = runtime.deps;
  return {
    clock,
    folder: backupFolderOf(runtime, memory),
    ...(storageWorker === undefined ? {} : { worker: storageWorker }),
  };
}

/** Backs a store up before something that changes much of it. An empty store has nothing to lose, and gives undefined. */
export async function backUp(
  runtime: MemoryRuntime,
  memory: OpenMemory,
  reason: BackupReason,
): Promise<Backup | undefined> {
  if (memory.store.db.get('SELECT 1 FROM entry_identity LIMIT 1') === undefined) return undefined;
  return createBackup(memory.store, reason, backupDepsOf(runtime, memory));
}

/** The daily backup, where it is due and the store has changed since the last one. */
export async function backUpDaily(runtime: MemoryRuntime, memory: OpenMemory): Promise<Backup | undefined> {
  if (memory.store.readOnly || memory.store.db.get('SELECT 1 FROM entry_identity LIMIT 1') === undefined)
    return undefined;
  return createDailyBackup(memory.store, backupDepsOf(runtime, memory));
}

/** Where a store and its backups are, found without opening it: it may be damaged. */
export async function backupPlaceOf(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<{ readonly storePath: string; readonly folder: string }> {
  const storePath = await runtime.storePathOf(context, request);
  // Without `store.json` the store itself has to say who it is.
  const projectId =
    readStoreFile(dirname(storePath))?.project_id ??
    (await runtime.forRead(context, request)).report.project_id ??
    'unknown';
  return { storePath, folder: join(runtime.deps.userDataFolder, 'backups', projectId) };
}
