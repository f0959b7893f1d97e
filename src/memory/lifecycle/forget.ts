import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { EntryState } from '../model.ts';
import { record, type WriteContext } from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { safeText } from '../safe-text.ts';
import { type Answered, openForChange, type StoredScope, startTimer, writeContextOf } from './change.ts';
import { dropPendingCopies, eraseEntry } from './erase-entry.ts';
import { backUpFirst, type ErasedTraces, eraseTraces } from './traces.ts';

export interface ForgetRequest extends ScopeRequest {
  /** At most 100. */
  readonly ids?: readonly string[] | undefined;
  /** Everything that was learned from this document. */
  readonly sourcePath?: string | undefined;
  readonly mode: 'retract' | 'erase';
  /** Needed to erase more than one: their exact number. */
  readonly confirmCount?: number | undefined;
  /** At most 300 characters; kept with the event of a retract, never with that of an erase. */
  readonly reason?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface ForgetAnswer extends Answered {
  readonly status: 'done' | 'planned' | 'nothing_to_do';
  /** Ids that are hidden now, or would be. */
  readonly retracted: readonly string[];
  /** Ids whose text is gone now, or would be. */
  readonly erased: readonly string[];
  /** Backups that were written anew without the text. */
  readonly backupsRewritten: number;
  /** A reader still holds the log file; the rest of the text leaves with the next background tick. */
  readonly logPending: boolean;
  readonly missing: readonly string[];
}

interface Target {
  readonly key: number;
  readonly id: string;
  readonly state: EntryState;
}

/** Entries changed in one transaction; bounds how long it lasts. */
const BATCH = 32;
/** More than this is backed up before it is retracted; an erase is meant to leave no copy. */
const BACKUP_OVER = 20;
/** Entries of one document that one call takes. */
const MAX_TARGETS = 500;

/**
 * Takes entries out of sight, or out of existence. Unknown ids are listed, not an error. Throws `confirm_count_mismatch`
 * and, for more than 500 entries of one document, `too_large`.
 */
export async function forget(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ForgetRequest,
): Promise<ForgetAnswer> {
  const elapsed = startTimer(runtime);
  if ((request.ids === undefined) === (request.sourcePath === undefined)) {
    throw new CairnError('invalid_input', 'Say what to forget: either ids or source_path.', { field: 'ids' });
  }
  const opened =
    request.dryRun === true
      ? await openForLook(runtime, context, request)
      : await openForChange(runtime, context, request);
  const { scope, stored } = opened;
  const { targets, missing } =
    stored === undefined ? { targets: [], missing: request.ids ?? [] } : findTargets(stored.memory.store.db, request);
  const answer = (part: Pick<ForgetAnswer, 'status'> & Partial<ForgetAnswer>): ForgetAnswer => ({
    retracted: [],
    erased: [],
    backupsRewritten: 0,
    logPending: false,
    missing,
    scope: scope.report,
    warnings: scope.warnings,
    ...part,
    tookMs: elapsed(),
  });
  const ids = targets.map(({ id }) => id);
  if (stored === undefined || targets.length === 0)
    return answer({ status: request.dryRun === true ? 'planned' : 'nothing_to_do' });
  if (request.dryRun === true)
    return answer({ status: 'planned', [request.mode === 'erase' ? 'erased' : 'retracted']: ids });
  if (request.mode === 'erase') {
    assertCounted(request, targets.length);
    const { warnings, ...traces } = await erase(runtime, context, stored, targets);
    return answer({ status: 'done', erased: ids, ...traces, warnings: [...scope.warnings, ...warnings] });
  }
  await retract(runtime, context, stored, targets, request.reason);
  return answer({ status: 'done', retracted: ids });
}

async function openForLook(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ForgetRequest,
): ReturnType<typeof openForChange> {
  const scope = await runtime.forRead(context, request);
  return { scope, stored: scope.memory === undefined ? undefined : { ...scope, memory: scope.memory } };
}

/** A retracted entry may be retracted again, which changes nothing, or erased; an erased one is missing. */
function findTargets(db: Database, request: ForgetRequest): { targets: Target[]; missing: string[] } {
  const select =
    "SELECT e.key, i.id, e.state FROM entry e JOIN entry_identity i ON i.key = e.key WHERE e.state <> 'erased' AND";
  if (request.sourcePath !== undefined) {
    const path = request.sourcePath.replace(/^\.\//, '');
    const targets = db.all<Target>(
      `${select} (e.source_key = ?1 OR substr(e.source_key, 1, length(?1) + 1) = ?1 || '#') ORDER BY e.key`,
      [path],
    );
    if (targets.length > MAX_TARGETS) {
      throw new CairnError(
        'too_large',
        `${targets.length} entries come from this document; forget them by id, at most 100 at a time.`,
        {
          field: 'source_path',
        },
      );
    }
    return { targets, missing: [] };
  }
  const ids = [...new Set(request.ids ?? [])];
  const found = db.all<Target>(`${select} i.id IN (SELECT value FROM json_each(?)) ORDER BY e.key`, [
    JSON.stringify(ids),
  ]);
  const known = new Set(found.map(({ id }) => id));
  return { targets: found, missing: ids.filter((id) => !known.has(id)) };
}

function assertCounted(request: ForgetRequest, count: number): void {
  if (count === 1 && request.confirmCount === undefined) return;
  if (request.confirmCount === count) return;
  const said =
    request.confirmCount === undefined ? 'confirm_count is missing' : `confirm_count is ${request.confirmCount}`;
  throw new CairnError('confirm_count_mismatch', `This erases ${count} entries and ${said}; nothing was erased.`, {
    field: 'confirm_count',
    repair: {
      operation: 'memory_forget',
      arguments: {
        ...(request.ids === undefined ? {} : { ids: request.ids }),
        ...(request.sourcePath === undefined ? {} : { source_path: request.sourcePath }),
        mode: 'erase',
        confirm_count: count,
      },
      requests: 0,
      note: 'erased text cannot be brought back',
    },
  });
}

function batches(targets: readonly Target[]): Target[][] {
  const parts: Target[][] = [];
  for (let i = 0; i < targets.length; i += BATCH) parts.push(targets.slice(i, i + BATCH));
  return parts;
}

async function retract(
  runtime: MemoryRuntime,
  context: RequestContext,
  scope: StoredScope,
  targets: readonly Target[],
  reason: string | undefined,
): Promise<void> {
  if (targets.length > BACKUP_OVER) await backUpFirst(runtime, scope);
  const at = runtime.deps.clock.now();
  const kept = reason === undefined ? undefined : safeText(reason).trim();
  for (const part of batches(targets)) {
    await scope.memory.store.write((db) => {
      const write = writeContextOf(runtime, context, db, at);
      for (const { key } of part) retractEntry(write, key, kept);
    });
  }
}

function retractEntry(write: WriteContext, key: number, reason: string | undefined): void {
  const before = write.db.get<{ state: EntryState; valid_to: number | null }>(
    'SELECT state, valid_to FROM entry WHERE key = ?',
    [key],
  );
  if (before === undefined || before.state === 'retracted' || before.state === 'erased') return;
  record(write, {
    op: 'retract',
    entryKey: key,
    payload: {
      was: before.state,
      ...(before.valid_to === null ? {} : { valid_to: before.valid_to }),
      ...(reason === undefined ? {} : { reason }),
    },
  });
}

async function erase(
  runtime: MemoryRuntime,
  context: RequestContext,
  scope: StoredScope,
  targets: readonly Target[],
): Promise<ErasedTraces> {
  const at = runtime.deps.clock.now();
  const hashes: Uint8Array[] = [];
  for (const part of batches(targets)) {
    const gone = await scope.memory.store.write((db) => {
      const write = writeContextOf(runtime, context, db, at);
      return part.flatMap(({ key, id }) => eraseEntry(write, key, id));
    });
    hashes.push(...gone);
  }
  const ids = targets.map(({ id }) => id);
  return eraseTraces(runtime, scope.memory, (db) =>
    eraseFromCopy(writeContextOf(runtime, context, db, at), ids, hashes),
  );
}

/** The same in a backup, which may hold the entry, or only the question whether to store it. */
function eraseFromCopy(write: WriteContext, ids: readonly string[], hashes: readonly Uint8Array[]): void {
  const { targets } = findTargets(write.db, { ids, mode: 'erase' });
  for (const { key, id } of targets) eraseEntry(write, key, id);
  dropPendingCopies(write.db, hashes);
}
