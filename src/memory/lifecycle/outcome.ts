import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Entry } from '../model.ts';
import { record, type WriteContext } from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { safeText } from '../safe-text.ts';
import { keyOf, readEntries } from '../store/entries.ts';
import { type Answered, openForChange, startTimer, writeContextOf } from './change.ts';
import { findOccupant } from './occupant.ts';

export type Verdict = 'worked' | 'failed' | 'not_applicable' | 'obsolete' | 'reopen';

export interface OutcomeRequest extends ScopeRequest {
  readonly id: string;
  readonly verdict: Verdict;
  readonly recallId?: string | undefined;
  /** With `obsolete`: the entry that is true instead. */
  readonly replacedBy?: string | undefined;
  /** At most 500 characters; cleaned and redacted before it is kept. */
  readonly note?: string | undefined;
  /** The same id again repeats the first answer. */
  readonly eventId?: string | undefined;
  readonly session?: string | undefined;
}

interface Outcome {
  readonly id: string;
  /** `recorded`: something changed; `unchanged`: it was counted or so before. */
  readonly status: 'recorded' | 'unchanged';
  readonly state: Entry['state'];
  readonly worked: number;
  readonly failed: number;
  readonly suspect: boolean;
  readonly supersededBy?: string;
}

export interface OutcomeAnswer extends Outcome, Answered {
  readonly replayed: boolean;
}

/** Event ids of outcomes are kept apart from those of remember: the same id may name one of each. */
const EVENT_PREFIX = 'outcome:';

/**
 * Says whether an entry helped. One count per entry, host session and verdict; `obsolete` closes, with `replacedBy` it
 * supersedes; `reopen` undoes both. Throws `not_found` and, where the state does not allow it, `invalid_input`.
 */
export async function recordOutcome(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: OutcomeRequest,
): Promise<OutcomeAnswer> {
  const elapsed = startTimer(runtime);
  const { stored: scope } = await openForChange(runtime, context, request);
  if (scope === undefined) throw unknownEntry('id', request.id);
  const at = runtime.deps.clock.now();
  const eventId = request.eventId === undefined ? undefined : EVENT_PREFIX + safeText(request.eventId);
  const session = request.session ?? context.session;
  const { outcome, replayed } = await scope.memory.store.write((db) => {
    const known =
      eventId === undefined
        ? undefined
        : db.get<{ answer: string }>('SELECT answer FROM idempotency WHERE event_id = ?', [eventId]);
    if (known !== undefined) return { outcome: JSON.parse(known.answer) as Outcome, replayed: true };
    const made = apply(
      writeContextOf(runtime, context, db, at),
      request,
      session === undefined ? undefined : safeText(session),
    );
    if (eventId !== undefined)
      db.run('INSERT INTO idempotency (event_id, answer, at) VALUES (?, ?, ?)', [eventId, JSON.stringify(made), at]);
    return { outcome: made, replayed: false };
  });
  return { ...outcome, replayed, scope: scope.report, warnings: scope.warnings, tookMs: elapsed() };
}

function apply(write: WriteContext, request: OutcomeRequest, session: string | undefined): Outcome {
  const before = readLive(write.db, request.id, 'id');
  if (before.state === 'quarantined') {
    throw new CairnError('invalid_input', `${before.id} is in quarantine; a person decides about it first.`, {
      field: 'id',
      repair: { command: 'cairn memory list --queue quarantined' },
    });
  }
  const changed = applyVerdict(write, before, request, session);
  const [after = before] = readEntries(write.db, [before.key]);
  return {
    id: after.id,
    status: changed ? 'recorded' : 'unchanged',
    state: after.state,
    worked: after.worked,
    failed: after.failed,
    suspect: after.suspect,
    ...(after.supersededBy === undefined ? {} : { supersededBy: after.supersededBy }),
  };
}

/** An entry that a caller may see; the retracted and the erased are gone for it. */
function readLive(db: Database, id: string, field: string): Entry {
  const key = keyOf(db, id);
  const [entry] = key === undefined ? [] : readEntries(db, [key]);
  if (entry === undefined || entry.state === 'retracted' || entry.state === 'erased') throw unknownEntry(field, id);
  return entry;
}

function unknownEntry(field: string, id: string): CairnError {
  return new CairnError('not_found', `No entry has the id ${id.slice(0, 64)}.`, { field });
}

function applyVerdict(
  write: WriteContext,
  entry: Entry,
  request: OutcomeRequest,
  session: string | undefined,
): boolean {
  const { verdict } = request;
  if (request.replacedBy !== undefined && verdict !== 'obsolete') {
    throw new CairnError('invalid_input', 'replaced_by goes with the verdict obsolete alone.', {
      field: 'replaced_by',
    });
  }
  if (verdict === 'obsolete') return retire(write, entry, request, session);
  if (verdict === 'reopen') return reopen(write, entry, request, session);
  if (session !== undefined && isCounted(write.db, entry.key, session, verdict)) return false;
  record(write, { op: 'outcome', entryKey: entry.key, payload: payloadOf(request) }, ({ seq }) =>
    writeOutcome(write, entry.key, seq, request, session),
  );
  return true;
}

/** Obsolete: closed, or superseded where the entry that is true instead is named. */
function retire(write: WriteContext, entry: Entry, request: OutcomeRequest, session: string | undefined): boolean {
  if (entry.state === 'superseded') return false;
  const note = ({ seq }: { seq: number }): void => writeOutcome(write, entry.key, seq, request, session);
  if (request.replacedBy === undefined) {
    if (entry.state === 'closed') return false;
    record(write, { op: 'close', entryKey: entry.key, payload: payloadOf(request) }, note);
    return true;
  }
  const newer = readLive(write.db, request.replacedBy, 'replaced_by');
  if (newer.key === entry.key || newer.state !== 'active') {
    throw new CairnError(
      'invalid_input',
      `replaced_by must name another active entry; ${newer.id} is ${newer.key === entry.key ? 'the same' : newer.state}.`,
      {
        field: 'replaced_by',
      },
    );
  }
  record(write, { op: 'supersede', entryKey: entry.key, payload: { ...payloadOf(request), by: newer.key } }, note);
  return true;
}

function reopen(write: WriteContext, entry: Entry, request: OutcomeRequest, session: string | undefined): boolean {
  if (entry.state === 'active') return false;
  const occupant = findOccupant(write.db, entry.key);
  if (occupant !== undefined) {
    throw new CairnError('invalid_input', `${occupant} has taken the place of ${entry.id} since; close it first.`, {
      field: 'id',
      repair: { operation: 'memory_outcome', arguments: { id: occupant, verdict: 'obsolete' }, requests: 0 },
    });
  }
  record(write, { op: 'reopen', entryKey: entry.key, payload: payloadOf(request) }, ({ seq }) =>
    writeOutcome(write, entry.key, seq, request, session),
  );
  return true;
}

function isCounted(db: Database, key: number, session: string, verdict: Verdict): boolean {
  return (
    db.get('SELECT 1 FROM outcome WHERE entry_key = ? AND session = ? AND verdict = ?', [key, session, verdict]) !==
    undefined
  );
}

function payloadOf({ verdict, recallId }: OutcomeRequest): Record<string, unknown> {
  return { verdict, ...(recallId === undefined ? {} : { recall_id: safeText(recallId) }) };
}

function writeOutcome(
  write: WriteContext,
  key: number,
  seq: number,
  request: OutcomeRequest,
  session: string | undefined,
): void {
  write.db.run('INSERT INTO outcome (entry_key, event_seq, at, session, verdict, note) VALUES (?, ?, ?, ?, ?, ?)', [
    key,
    seq,
    write.at,
    session ?? null,
    request.verdict,
    request.note === undefined ? null : safeText(request.note).trim(),
  ]);
}
