import type { RequestContext } from '../../kernel/index.ts';
import { record, type WriteContext } from '../remember/write-entry.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { keyOf } from '../store/entries.ts';
import { type Answered, openForChange, startTimer, writeContextOf } from './change.ts';
import { findOccupant } from './occupant.ts';

/** How long a retracted entry can be brought back, in milliseconds: 30 days. */
const RESTORE_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

export interface RestoreRequest extends ScopeRequest {
  readonly ids: readonly string[];
}

export interface RestoreAnswer extends Answered {
  readonly restored: readonly string[];
  /** Never there, erased, or not retracted. */
  readonly missing: readonly string[];
  /** Retracted more than 30 days ago. */
  readonly expired: readonly string[];
  /** Another entry has taken the place since; `by` is its id. */
  readonly occupied: readonly { readonly id: string; readonly by: string }[];
}

type Verdict =
  | { readonly verdict: 'restored' | 'missing' | 'expired' }
  | { readonly verdict: 'occupied'; readonly by: string };

/** Brings retracted entries back to the state they had. For the command line and the viewer: only a person restores. */
export async function restoreEntries(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: RestoreRequest,
): Promise<RestoreAnswer> {
  const elapsed = startTimer(runtime);
  const { scope, stored } = await openForChange(runtime, context, request);
  const at = runtime.deps.clock.now();
  const ids = [...new Set(request.ids)];
  const verdicts =
    stored === undefined
      ? ids.map((id) => ({ id, verdict: 'missing' as const }))
      : await stored.memory.store.write((db) => {
          const write = writeContextOf(runtime, context, db, at);
          return ids.map((id) => ({ id, ...restore(write, id) }));
        });
  const idsOf = (wanted: string): string[] => verdicts.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return {
    restored: idsOf('restored'),
    missing: idsOf('missing'),
    expired: idsOf('expired'),
    occupied: verdicts.flatMap((item) => ('by' in item ? [{ id: item.id, by: item.by }] : [])),
    scope: scope.report,
    warnings: scope.warnings,
    tookMs: elapsed(),
  };
}

function restore(write: WriteContext, id: string): Verdict {
  const key = keyOf(write.db, id);
  const retraction = write.db.get<{ at: number; payload: string }>(
    `SELECT v.at, v.payload FROM entry e JOIN event v ON v.entry_key = e.key AND v.op = 'retract'
     WHERE e.key = ? AND e.state = 'retracted' ORDER BY v.seq DESC LIMIT 1`,
    [key ?? 0],
  );
  if (key === undefined || retraction === undefined) return { verdict: 'missing' };
  if (write.at - retraction.at > RESTORE_LIFETIME_MS) return { verdict: 'expired' };
  const { was = 'active', valid_to } = JSON.parse(retraction.payload) as { was?: string; valid_to?: number };
  const by = was === 'active' || was === 'quarantined' ? findOccupant(write.db, key) : undefined;
  if (by !== undefined) return { verdict: 'occupied', by };
  record(write, {
    op: 'restore',
    entryKey: key,
    payload: { state: was, ...(valid_to === undefined ? {} : { valid_to }) },
  });
  return { verdict: 'restored' };
}
