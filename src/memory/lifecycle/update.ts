import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { type Draft, toErrorFixRecord } from '../draft.ts';
import type { Entry, EntryType, RevisionFields } from '../model.ts';
import { takeIn } from '../remember/intake.ts';
import { record, reviseEntry, type WriteContext } from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { keyOf, readEntries } from '../store/entries.ts';
import { type Answered, openForChange, startTimer, writeContextOf } from './change.ts';
import { draftOfStored, equalHashes } from './stored-draft.ts';

/** What a person changes; what is absent stays. */
export interface UpdateRequest extends ScopeRequest {
  readonly id: string;
  readonly type?: EntryType | undefined;
  readonly tags?: readonly string[] | undefined;
  /** For an error-fix entry its one-line form. */
  readonly content?: string | undefined;
  /** The source document of an error-fix entry, the file of a learning. */
  readonly path?: string | undefined;
  readonly pinned?: boolean | undefined;
}

export interface UpdateAnswer extends Answered {
  readonly status: 'updated' | 'unchanged';
  readonly id: string;
  /** Number of the revision that is current now. */
  readonly revision: number;
}

/**
 * Changes an entry in place, as a person asks on the command line or in the viewer; the old text stays in its history.
 * Throws `not_found`, what the intake throws, and `invalid_input` where another entry says the same already.
 */
export async function updateEntry(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: UpdateRequest,
): Promise<UpdateAnswer> {
  const elapsed = startTimer(runtime);
  const { stored: scope } = await openForChange(runtime, context, request);
  if (scope === undefined) throw unknown(request.id);
  const at = runtime.deps.clock.now();
  const done = await scope.memory.store.write((db) => {
    const key = keyOf(db, request.id);
    const [entry] = key === undefined ? [] : readEntries(db, [key]);
    if (entry === undefined || entry.state === 'erased' || entry.state === 'retracted') throw unknown(request.id);
    const write = writeContextOf(runtime, context, db, at);
    const revised = revise(write, entry, request, scope.location?.branch);
    const relabelled = relabel(write, entry, request);
    return {
      status: revised || relabelled ? ('updated' as const) : ('unchanged' as const),
      revision: entry.revision + (revised ? 1 : 0),
    };
  });
  return { ...done, id: request.id, scope: scope.report, warnings: scope.warnings, tookMs: elapsed() };
}

function unknown(id: string): CairnError {
  return new CairnError('not_found', `No entry has the id ${id.slice(0, 64)}.`, { field: 'id' });
}

function relabel(write: WriteContext, entry: Entry, { type, pinned }: UpdateRequest): boolean {
  if (type !== undefined && type !== 'context' && entry.kind === 'error_fix') {
    throw new CairnError('invalid_input', 'An error-fix entry is always of type context.', { field: 'type' });
  }
  const payload = {
    ...(type === undefined || type === entry.type ? {} : { type }),
    ...(pinned === undefined || pinned === entry.pinned ? {} : { pinned }),
  };
  if (Object.keys(payload).length === 0) return false;
  record(write, { op: 'update', entryKey: entry.key, payload });
  return true;
}

function revise(write: WriteContext, entry: Entry, request: UpdateRequest, branch: string | undefined): boolean {
  if (request.content === undefined && request.tags === undefined && request.path === undefined) return false;
  const before = draftOfStored(entry.kind, entry.text, entry.fields);
  const after = draftAfter(entry, request);
  if (
    equalHashes(before.contentHash, after.contentHash) &&
    before.text === after.text &&
    sameFields(before.fields, after.fields)
  )
    return false;
  assertFree(write.db, entry, after);
  reviseEntry(write, entry.key, after, {
    source: 'manual',
    ...(branch === undefined ? {} : { branch }),
    ...(request.path === undefined ? {} : { file: request.path }),
    at: write.at,
  });
  if (after.sourceKey !== entry.sourceKey && after.sourceKey !== undefined) {
    record(write, { op: 'update', entryKey: entry.key, payload: { sourceKey: after.sourceKey } });
  }
  return true;
}

function sameFields(a: RevisionFields, b: RevisionFields): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The whole entry as it would come in now, so that new words meet every check that first words meet. */
function draftAfter(entry: Entry, request: UpdateRequest): Draft {
  const labels = {
    tags: request.tags ?? entry.fields.tags ?? [],
    files: request.path !== undefined && entry.kind === 'learning' ? [request.path] : (entry.fields.files ?? []),
  };
  const changed = request.content ?? entry.text;
  const intake =
    request.content === undefined && entry.kind === 'error_fix'
      ? takeIn({ door: 'hooks', ...errorFixParts(entry), ...labels })
      : takeIn({ door: 'hooks', content: changed, ...labels });
  const draft = intake.drafts[0];
  if (draft === undefined || intake.drafts.length > 1 || draft.kind !== entry.kind) {
    throw new CairnError(
      'invalid_input',
      `content must stay ${entry.kind === 'error_fix' ? 'one ERROR-FIX line' : 'one learning'}.`,
      {
        field: 'content',
      },
    );
  }
  if (request.path === undefined || entry.kind === 'learning') return draft;
  const parts = errorFixParts({ text: draft.text, fields: draft.fields });
  const moved = takeIn({ door: 'hooks', ...parts, sourcePath: request.path, ...labels }).drafts[0];
  return moved ?? draft;
}

function errorFixParts({ text, fields }: Pick<Entry, 'text' | 'fields'>): {
  error: string;
  fix: string;
  sourcePath?: string;
  summary?: string;
} {
  const { signature, ...rest } = toErrorFixRecord(text, fields);
  return { error: signature, ...rest };
}

/** Two live entries never say the same or have the same home. */
function assertFree(db: Database, entry: Entry, draft: Draft): void {
  const other = db.get<{ id: string }>(
    `SELECT i.id FROM entry e JOIN entry_identity i ON i.key = e.key
     WHERE e.key <> ? AND e.state IN ('active', 'quarantined') AND (e.content_hash = ? OR e.source_key = ?) LIMIT 1`,
    [entry.key, draft.contentHash, draft.sourceKey ?? null],
  );
  if (other === undefined) return;
  throw new CairnError('invalid_input', `${other.id} says the same already; forget one of the two instead.`, {
    field: 'content',
    repair: { operation: 'memory_get', arguments: { ids: [other.id] }, requests: 0 },
  });
}
