import { recordEntryCount } from '../../storage/index.ts';
import { finishErasure } from '../lifecycle/traces.ts';
import { checkNearLate } from '../remember/late-near-check.ts';
import type { MemoryRuntime, OpenMemory } from '../runtime.ts';
import { findSpace } from '../store/vectors.ts';
import { dropOldVectors, dropVectors, findStaleVectors, hasOldVectors } from '../vectors/spaces.ts';
import { backUpDaily } from './backups.ts';
import { countTruth } from './truth.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long working rows are kept past their use, in milliseconds. */
const LIFETIME_MS = { replay: 30 * DAY_MS, pending: 7 * DAY_MS, recallLog: 90 * DAY_MS } as const;

/** Rows of one background write. */
const ROWS = 64;
const NEAR_CHECKS = 8;
const STALE_PAGE = 128;

interface Prunable {
  readonly table: string;
  readonly key: string;
  readonly due: string;
  readonly before: number;
}

function prunables(now: number): Prunable[] {
  return [
    { table: 'idempotency', key: 'event_id', due: 'at < ?', before: now - LIFETIME_MS.replay },
    // A used or expired token is told apart from an unknown one for a while.
    { table: 'pending', key: 'id', due: 'expires_at < ?', before: now - LIFETIME_MS.pending },
    { table: 'recall_log', key: 'id', due: 'at < ?', before: now - LIFETIME_MS.recallLog },
  ];
}

/** Removes rows that are past their time, a few at a time; writes nothing where there are none. */
async function prune({ store }: OpenMemory, now: number): Promise<number> {
  let removed = 0;
  for (const { table, key, due, before } of prunables(now)) {
    while (store.db.get(`SELECT 1 FROM ${table} WHERE ${due}`, [before]) !== undefined) {
      const { changes } = await store.write((db) =>
        db.run(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${due} LIMIT ${ROWS})`, [
          before,
        ]),
      );
      removed += changes;
    }
  }
  while (hasOldVectors(store.db, now)) removed += await store.write((db) => dropOldVectors(db, now, ROWS));
  return removed;
}

/** Looks once through all vectors of the present space and drops those whose passage says something else by now. */
export async function dropStaleVectors({ store }: OpenMemory, fingerprint: string, signal: AbortSignal): Promise<void> {
  const space = findSpace(store.db, fingerprint);
  for (let after: number | undefined = 0; space !== undefined && after !== undefined && !signal.aborted; ) {
    const { stale, next } = findStaleVectors(store.db, space.key, after, STALE_PAGE);
    if (stale.length > 0) await store.write((db) => dropVectors(db, stale));
    after = next;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What is due once a minute in a store that is in use. */
export async function keepHouse(runtime: MemoryRuntime, memory: OpenMemory): Promise<void> {
  const now = runtime.deps.clock.now();
  await prune(memory, now);
  await checkNearLate(memory, now, NEAR_CHECKS);
  await finishErasure(runtime, memory);
  recordEntryCount(memory.store, countTruth(memory.store.db));
  await backUpDaily(runtime, memory);
}
