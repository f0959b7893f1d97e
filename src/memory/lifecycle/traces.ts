import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBackup, type Database, eraseResidue, readMeta, rewriteBackups, writeMeta } from '../../storage/index.ts';
import type { MemoryRuntime, OpenMemory } from '../runtime.ts';
import type { StoredScope } from './change.ts';

/** Indexes without content: they keep the terms of deleted rows until they are merged. */
const FULL_TEXT_TABLES = ['entry_fts', 'identifier_tri'];

/** Set in `meta` while erased text may still stand in the log file. */
const LOG_PENDING = 'erase_log_pending';

export interface ErasedTraces {
  readonly backupsRewritten: number;
  readonly logPending: boolean;
  readonly warnings: readonly string[];
}

/** Where the backups of a store are. */
export function backupFolderOf(runtime: MemoryRuntime, memory: OpenMemory): string {
  return join(runtime.deps.userDataFolder, 'backups', memory.store.projectId);
}

/** A copy of the store before many entries are hidden. */
export async function backUpFirst(runtime: MemoryRuntime, scope: StoredScope): Promise<void> {
  const { clock, storageWorker } = runtime.deps;
  await createBackup(scope.memory.store, 'forget', {
    clock,
    folder: backupFolderOf(runtime, scope.memory),
    ...(storageWorker === undefined ? {} : { worker: storageWorker }),
  });
}

/** What rows that are gone leave behind: index segments, the log, backups, the derived session brief. */
export async function eraseTraces(
  runtime: MemoryRuntime,
  memory: OpenMemory,
  eraseIn: (db: Database) => void,
): Promise<ErasedTraces> {
  const { storageWorker } = runtime.deps;
  const folder = dirname(memory.store.path);
  rmSync(join(folder, 'brief.json'), { force: true });
  // Marked before the work, so that a crash in the middle of it is made up for later.
  await memory.store.write((db) => writeMeta(db, LOG_PENDING, '1'));
  const logPending = await finishErasure(runtime, memory);
  const { rewritten, deleted } = await rewriteBackups(backupFolderOf(runtime, memory), {
    erase: eraseIn,
    fullTextTables: FULL_TEXT_TABLES,
    ...(storageWorker === undefined ? {} : { worker: storageWorker }),
  });
  return {
    backupsRewritten: rewritten.length,
    logPending,
    warnings: [
      ...(deleted.length === 0
        ? []
        : [`${deleted.length} backups could not be rewritten and were deleted, since they held the erased text.`]),
      ...(hasQuarantine(folder)
        ? [
            `${join(folder, 'quarantine')} holds damaged originals that may still contain the text; remove them by hand.`,
          ]
        : []),
    ],
  };
}

/**
 * Finishes an erasure whose text may still stand in the log, if there is one; for the background tick as well. True
 * while a reader keeps it from being finished.
 */
export async function finishErasure(runtime: MemoryRuntime, memory: OpenMemory): Promise<boolean> {
  const { clock, storageWorker } = runtime.deps;
  const { store } = memory;
  if (store.readOnly || readMeta(store.db, LOG_PENDING) === undefined) return false;
  const { logPending } = await eraseResidue(store, {
    fullTextTables: FULL_TEXT_TABLES,
    clock,
    ...(storageWorker === undefined ? {} : { worker: storageWorker }),
  });
  if (!logPending) await store.write((db) => writeMeta(db, LOG_PENDING, undefined));
  return logPending;
}

function hasQuarantine(folder: string): boolean {
  try {
    return readdirSync(join(folder, 'quarantine')).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
