import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Provenance } from '../model.ts';
import { takeIn } from '../remember/intake.ts';
import { changedSince, findNeighbours, logMark } from '../remember/neighbours.ts';
import { markDecided, openPending, type PendingItem } from '../remember/pending.ts';
import { record } from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { countActive } from '../store/tally.ts';
import { type Answered, openForChange, type StoredScope, startTimer, writeContextOf } from './change.ts';
import { type ConfirmDecision, type Confirmed, type Settled, settle } from './settle-pending.ts';
import { draftOfStored, equalHashes } from './stored-draft.ts';

export interface ConfirmRequest extends ScopeRequest {
  readonly token: string;
  readonly decision: ConfirmDecision;
  /** Replaces the pending text; taken in and judged like a new one. */
  readonly editedContent?: string | undefined;
  /** Who decided, as claimed; it is recorded, not proven. */
  readonly confirmedBy?: 'user' | 'policy' | undefined;
}

export interface ConfirmAnswer extends Answered {
  readonly status: Settled['status'];
  readonly id?: string;
  /** Entries that this one replaced. */
  readonly superseded: readonly string[];
  /** Entries that read much like it; a person may merge them. */
  readonly similar: readonly string[];
  /** Entries that recall can find now. */
  readonly total: number;
}

/**
 * Decides about a pending item. Throws `token_mismatch`, `token_used`, `token_expired`; `invalid_input` where the
 * decision does not fit the item; for an edited text what the intake throws and `quality_gates`; `forgotten` and
 * `superseded` where the text may not come back. A call that throws leaves the token open.
 */
export async function confirm(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ConfirmRequest,
): Promise<ConfirmAnswer> {
  const elapsed = startTimer(runtime);
  const { stored: scope } = await openForChange(runtime, context, request);
  if (scope === undefined) {
    throw new CairnError('token_mismatch', 'This project has no store yet, so the token belongs to another project.', {
      field: 'token',
    });
  }
  const { store } = scope.memory;
  const at = runtime.deps.clock.now();
  const confirmed = judge(openItem(store.db, request.token, at), request);
  const seen = logMark(store.db);
  const neighbours =
    request.decision === 'discard'
      ? []
      : await findNeighbours(store.db, confirmed.draft, scope.memory.vectors, undefined);
  const decided = await store.write((db) => {
    const write = writeContextOf(runtime, context, db, at);
    const item = openItem(db, request.token, at);
    const result = settle(write, {
      item,
      confirmed,
      decision: request.decision,
      provenance: provenanceOf(item, scope, at),
      nearKeys: [...new Set([...neighbours, ...changedSince(db, seen)])],
    });
    record(write, {
      op: 'confirm',
      ...(result.key === undefined ? {} : { entryKey: result.key }),
      payload: { decision: request.decision, confirmed_by: request.confirmedBy ?? 'user', pending: item.id },
    });
    markDecided(db, item.id, request.decision);
    dropDecidedTexts(db, at);
    return { ...result, total: countActive(db) };
  });
  return {
    status: decided.status,
    ...(decided.id === undefined ? {} : { id: decided.id }),
    superseded: decided.superseded,
    similar: decided.similar,
    total: decided.total,
    scope: scope.report,
    warnings: [...scope.warnings, ...confirmed.warnings, ...decided.warnings],
    tookMs: elapsed(),
  };
}

/** The open item of a token whose text is still the one that the token was made for. */
function openItem(db: Database, token: string, at: number): PendingItem {
  const item = openPending(db, token, at);
  const { kind, text, fields } = item.payload;
  if (equalHashes(draftOfStored(kind, text, fields).contentHash, item.contentHash)) return item;
  throw new CairnError(
    'token_mismatch',
    'The pending text is not the one that this token was made for; nothing was stored.',
    {
      field: 'token',
      repair: { operation: 'memory_get', arguments: { queue: 'pending' }, requests: 0 },
    },
  );
}

/** The draft that a decision is about: the pending one, or its edited text once that has passed every check. */
function judge(item: PendingItem, request: ConfirmRequest): Confirmed {
  const { kind, text, fields, quality } = item.payload;
  if ((request.decision === 'supersede' || request.decision === 'merge') && item.payload.duplicateOf === undefined) {
    throw new CairnError(
      'invalid_input',
      `${request.decision} answers near_duplicate; this item waits for store or discard.`,
      {
        field: 'decision',
      },
    );
  }
  if (request.editedContent === undefined || request.decision === 'discard') {
    return { draft: draftOfStored(kind, text, fields), quality, warnings: [] };
  }
  const intake = takeIn({
    door: 'memory',
    content: request.editedContent,
    ...(fields.tags === undefined ? {} : { tags: fields.tags }),
    ...(fields.files === undefined ? {} : { files: fields.files }),
  });
  const draft = intake.drafts[0];
  if (draft === undefined || intake.drafts.length > 1 || draft.kind !== kind) {
    const wanted = kind === 'error_fix' ? 'one ERROR-FIX line, as in the preview' : 'one learning';
    throw new CairnError('invalid_input', `edited_content must be ${wanted}.`, { field: 'edited_content' });
  }
  // What came in by the door that only warns about quality is not held to more when it is confirmed.
  if (quality && !intake.gates.passed) {
    throw new CairnError('quality_gates', `The edited text misses: ${intake.gates.missing.join(', ')}.`, {
      field: 'edited_content',
    });
  }
  const redacted = intake.redactions.map(({ kind: what, count }) => `${count} × ${what} redacted`);
  return { draft, quality: intake.gates.passed, warnings: [...intake.warnings, ...redacted] };
}

function provenanceOf(item: PendingItem, scope: StoredScope, at: number): Provenance {
  const { branch, commit } = scope.location ?? {};
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
    ...item.payload.provenance,
    at,
  };
}

/** A decided or expired item keeps its row, so that its token is answered truly, and loses its text. */
function dropDecidedTexts(db: Database, at: number): void {
  db.run("UPDATE pending SET payload = '{}' WHERE (decided IS NOT NULL OR expires_at <= ?) AND payload <> '{}'", [at]);
}
