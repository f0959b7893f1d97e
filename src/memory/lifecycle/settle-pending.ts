import { CairnError } from '../../kernel/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryType, Provenance } from '../model.ts';
import { compareNear, findIdentity, type NearReport } from '../remember/decide.ts';
import type { PendingItem } from '../remember/pending.ts';
import { createEntry, mergeInto, reviseEntry, supersedeEntry, type WriteContext } from '../remember/write-entry.ts';
import { idOf, keyOf, readEntries } from '../store/entries.ts';

export type ConfirmDecision = 'store' | 'discard' | 'supersede' | 'merge';

/** The text that a decision is about, once it has passed every check. */
export interface Confirmed {
  readonly draft: Draft;
  readonly quality: boolean;
  readonly warnings: readonly string[];
}

/** What a decision came to. */
export interface Settled {
  readonly status: 'stored' | 'merged' | 'updated' | 'discarded';
  readonly key?: number;
  readonly id?: string;
  readonly superseded: readonly string[];
  readonly similar: readonly string[];
  readonly warnings: readonly string[];
}

/** One decision on its way to the tables. */
export interface Decided {
  readonly item: PendingItem;
  readonly confirmed: Confirmed;
  readonly decision: ConfirmDecision;
  readonly provenance: Provenance;
  /** Entries that may be near the draft, those included that are new since the look at the whole store. */
  readonly nearKeys: readonly number[];
}

/**
 * Carries out a decision about a pending item inside the caller's transaction. Throws `not_found`, `forgotten` or
 * `superseded` where it cannot be carried out.
 */
export function settle(write: WriteContext, { item, confirmed, decision, provenance, nearKeys }: Decided): Settled {
  const nothing = { superseded: [], similar: [], warnings: [] };
  if (decision === 'discard') return { status: 'discarded', ...nothing };
  const { duplicateOf } = item.payload;
  if (decision === 'merge' && duplicateOf !== undefined) {
    const key = mergeTarget(write, duplicateOf, provenance);
    return { status: 'merged', key, id: duplicateOf, ...nothing };
  }
  const { key, status, near } = place(write, item, confirmed, provenance, nearKeys);
  const replaced = [
    ...(item.payload.supersedes ?? []),
    ...(decision === 'supersede' && duplicateOf !== undefined ? [duplicateOf] : []),
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
