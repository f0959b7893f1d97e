import { CairnError, type RequestContext } from '../../kernel/index.ts';
import { type Backup, listBackups, type RestoreReport, restoreBackup } from '../../storage/index.ts';
import type { MemoryRuntime, ScopeReport, ScopeRequest } from '../runtime.ts';
import { MEMORY_MIGRATIONS } from '../schema/migrations.ts';
import { backupPlaceOf } from './backups.ts';
import { TRUTH_COUNT_SQL } from './truth.ts';

export interface BackupList {
  readonly folder: string;
  /** Newest first. */
  readonly backups: readonly Backup[];
}

/** The backups of a project's memory. Opens nothing, so it works for a damaged store as well. */
export async function listMemoryBackups(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<BackupList> {
  const { folder } = await backupPlaceOf(runtime, context, request);
  return { folder, backups: listBackups(folder) };
}

export interface RestoreMemoryRequest extends ScopeRequest {
  /** Absolute path of one of {@link listMemoryBackups}; the newest where it is absent. */
  readonly backup?: string | undefined;
}

export interface RestoreMemoryAnswer extends RestoreReport {
  readonly restored: Backup;
  readonly scope: ScopeReport;
  readonly warnings: readonly string[];
}

/**
 * Puts a backup in the place of the present memory; for a person, on the command line. The present state is backed up
 * first (or moved to quarantine where it is damaged). Throws `not_found` where there is no such backup, and
 * `store_damaged` where the chosen one is not sound.
 */
export async function restoreMemory(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: RestoreMemoryRequest,
): Promise<RestoreMemoryAnswer> {
  if (runtime.deps.readOnly)
    throw new CairnError('read_only', 'This program was started read-only; nothing was restored.');
  const { storePath, folder } = await backupPlaceOf(runtime, context, request);
  const backups = listBackups(folder);
  const chosen = request.backup === undefined ? backups[0] : backups.find(({ path }) => path === request.backup);
  if (chosen === undefined) {
    throw new CairnError('not_found', `There is no such backup in ${folder}.`, {
      field: 'backup',
      repair: { command: 'cairn memory backup --list' },
    });
  }
  const { clock, ids, storageWorker } = runtime.deps;
  const report = await restoreBackup({
    path: storePath,
    clock,
    ids,
    migrations: MEMORY_MIGRATIONS,
    backup: chosen.path,
    backups: { clock, folder, ...(storageWorker === undefined ? {} : { worker: storageWorker }) },
    countSql: TRUTH_COUNT_SQL,
  });
  const scope = await runtime.forRead(context, request);
  return { ...report, restored: chosen, scope: scope.report, warnings: scope.warnings };
}
