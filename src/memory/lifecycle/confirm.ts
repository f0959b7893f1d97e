import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryType, Provenance } from '../model.ts';
import { compareNear, findIdentity, type NearReport } from '../remember/decide.ts';
import { takeIn } from '../remember/intake.ts';
import { findNeighbours, newerThan, newestEntryKey } from '../remember/neighbours.ts';
import { markDecided, openPending, type PendingItem } from '../remember/pending.ts';
import {
  createEntry,
  mergeInto,
  record,
  reviseEntry,
  supersedeEntry,
  type WriteContext,
} from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { countActive, idOf, keyOf, readEntries } from '../store/entries.ts';
import { type Answered, openForChange, type StoredScope, startTimer, writeContextOf } from './change.ts';
import { draftOfStored, equalHashes } from './stored-draft.ts';

export type ConfirmDecision = 'store' | 'discard' | 'supersede' | 'merge';

export interface ConfirmRequest extends ScopeRequest {
  readonly token: string;
  readonly decision: ConfirmDecision;
  /** Replaces the pending text; taken in and judged like a new one. */
  readonly editedContent?: string | undefined;
  /** Who decided, as claimed; it is recorded, not proven. */
  readonly confirmedBy?: 'user' | 'policy' | undefined;
}

export interface ConfirmAnswer extends Answered {
  readonly status: 'stored' | 'merged' | 'updated' | 'discarded';
  readonly id?: string;
  /** Entries that this one replaced. */
  readonly superseded: readonly string[];
  /** Entries that read much like it; a person may merge them. */
  readonly similar: readonly string[];
  /** Entries that recall can find now. */
  readonly total: number;
}

interface Confirmed {
  readonly draft: Draft;
  readonly quality: boolean;
  readonly warnings: readonly string[];
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
  const seen = newestEntryKey(store.db);
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
      request,
      provenance: provenanceOf(item, scope, at),
      nearKeys: [...new Set([...neighbours, ...newerThan(db, seen)])],
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

interface Settled {
  readonly status: ConfirmAnswer['status'];
  readonly key?: number;
  readonly id?: string;
  readonly superseded: readonly string[];
  readonly similar: readonly string[];
  readonly warnings: readonly string[];
}

/** One decision on its way to the tables. */
interface Decided {
  readonly item: PendingItem;
  readonly confirmed: Confirmed;
  readonly request: ConfirmRequest;
  readonly provenance: Provenance;
  /** Entries that may be near the draft, those included that are new since the look at the whole store. */
  readonly nearKeys: readonly number[];
}

function settle(write: WriteContext, { item, confirmed, request, provenance, nearKeys }: Decided): Settled {
  const nothing = { superseded: [], similar: [], warnings: [] };
  if (request.decision === 'discard') return { status: 'discarded', ...nothing };
  const { duplicateOf } = item.payload;
  if (request.decision === 'merge' && duplicateOf !== undefined) {
    const key = mergeTarget(write, duplicateOf, provenance);
    return { status: 'merged', key, id: duplicateOf, ...nothing };
  }
  const { key, status, near } = place(write, item, confirmed, provenance, nearKeys);
  const replaced = [
    ...(item.payload.supersedes ?? []),
    ...(request.decision === 'supersede' && duplicateOf !== undefined ? [duplicateOf] : []),
  ];
  const { superseded, warnings } = replace(write, key, replaced);
  queueForReview(write, key, near, superseded);
  const similar = [
    ...(near?.duplicate === undefined ? [] : [near.duplicate.id]),
    ...(near?.similar ?? []).map(({ id }) => id),
  ];
  return {
    status,
    key,
    id: idOf(write.db, key),
    superseded,
    similar: similar.filter((id) => !superseded.includes(id)),
    warnings,
  };
}

/** One more observation of the entry that the pending text repeats. */
function mergeTarget(write: WriteContext, id: string, provenance: Provenance): number {
  const key = keyOf(write.db, id);
  const [target] = key === undefined ? [] : readEntries(write.db, [key]);
  if (target === undefined || (target.state !== 'active' && target.state !== 'closed')) {
    throw new CairnError('not_found', `${id} is no longer there to merge into; decide store or discard.`, {
      field: 'decision',
    });
  }
  mergeInto(write, target.key, provenance, { reopen: target.state === 'closed' });
  return target.key;
}

/** Writes the draft where its identity says. The near check has no veto here, since somebody decided; it is reported. */
function place(
  write: WriteContext,
  item: PendingItem,
  { draft, quality }: Confirmed,
  provenance: Provenance,
  nearKeys: readonly number[],
): { key: number; status: 'stored' | 'merged' | 'updated'; near?: NearReport } {
  const identity = findIdentity(write.db, draft);
  switch (identity.decision) {
    case 'merge':
      mergeInto(write, identity.key, provenance, { reopen: identity.reopen });
      return { key: identity.key, status: 'merged' };
    case 'update':
      reviseEntry(write, identity.key, draft, provenance);
      return { key: identity.key, status: 'updated' };
    case 'forgotten':
      throw new CairnError('forgotten', 'This text was forgotten on purpose; only a person brings it back.', {
        field: 'token',
        repair: { command: 'cairn memory forget --restore <id>' },
      });
    case 'superseded':
      throw new CairnError('superseded', 'This text was superseded since; read the newer entry or discard the item.', {
        field: 'token',
        ...(identity.newerKey === undefined
          ? {}
          : {
              repair: { operation: 'memory_get', arguments: { ids: [idOf(write.db, identity.newerKey)] }, requests: 0 },
            }),
      });
    case 'new': {
      const near = compareNear(write.db, draft, nearKeys, undefined);
      const type: EntryType = draft.kind === 'error_fix' ? 'context' : item.payload.type;
      const { key } = createEntry(write, draft, {
        type,
        // A claim that came over the wire proves no person; the command line and the viewer do.
        trust: write.actor.startsWith('mcp') ? 'agent' : 'person',
        quality,
        ...(item.payload.workflow === undefined ? {} : { workflow: item.payload.workflow }),
        provenance,
      });
      return { key, status: 'stored', near };
    }
  }
}

function replace(
  write: WriteContext,
  newKey: number,
  ids: readonly string[],
): { superseded: string[]; warnings: string[] } {
  const superseded: string[] = [];
  const warnings: string[] = [];
  for (const id of new Set(ids)) {
    const key = keyOf(write.db, id);
    const [old] = key === undefined ? [] : readEntries(write.db, [key]);
    if (old === undefined || old.key === newKey || (old.state !== 'active' && old.state !== 'closed')) {
      warnings.push(`${id} was not superseded: it is no longer there.`);
      continue;
    }
    supersedeEntry(write, old.key, newKey);
    superseded.push(id);
  }
  return { superseded, warnings };
}

/** What a person should look at: contradictions, and repeats that were stored because somebody decided so. */
function queueForReview(
  write: WriteContext,
  key: number,
  near: NearReport | undefined,
  superseded: readonly string[],
): void {
  const insert = 'INSERT OR IGNORE INTO conflict (entry_key, other_key, relation, score, at) VALUES (?, ?, ?, ?, ?)';
  for (const other of near?.conflicts ?? []) write.db.run(insert, [key, other.key, 'conflict', null, write.at]);
  const duplicate = near?.duplicate;
  if (duplicate !== undefined && !superseded.includes(duplicate.id)) {
    write.db.run(insert, [key, duplicate.key, 'near', duplicate.score, write.at]);
  }
}

/** A decided or expired item keeps its row, so that its token is answered truly, and loses its text. */
function dropDecidedTexts(db: Database, at: number): void {
  db.run("UPDATE pending SET payload = '{}' WHERE (decided IS NOT NULL OR expires_at <= ?) AND payload <> '{}'", [at]);
}
