import { setImmediate as nextTurn } from 'node:timers/promises';
import { CairnError, type Clock, throwIfCancelled } from '../../kernel/index.ts';
import { acquireLease, type Database, type LeaseHolder, releaseLease, type Store } from '../../storage/index.ts';

/** Bounds of one background write: longer ones would make another process wait for its own write. */
const BATCH_ROWS = 64;
const BATCH_MS = 30;

/** How long a lease holds without a sign of life, in milliseconds. */
const LEASE_MS = 30_000;

export const IMPORT_LEASE = 'import';

/** Who runs what under a lease, and until when. */
export interface BatchRun {
  readonly store: Store;
  readonly clock: Clock;
  readonly lease: string;
  readonly holder: LeaseHolder;
  readonly signal?: AbortSignal | undefined;
}

/** Takes the lease of a task; throws `busy` while another process has it. */
export async function takeLease(run: BatchRun): Promise<void> {
  const isOurs = await run.store.write((db) => extend(db, run));
  if (!isOurs) throw busy(run.lease);
}

export async function giveBackLease(run: BatchRun): Promise<void> {
  await run.store.write((db) => releaseLease(db, run.lease, run.holder.owner));
}

function extend(db: Database, { lease, holder, clock }: BatchRun): boolean {
  return acquireLease(db, lease, holder, { now: clock.now(), ttlMs: LEASE_MS });
}

function busy(task: string): CairnError {
  return new CairnError(
    'busy',
    `Another process is doing the same work (${task}) in this store; try again when it is done.`,
  );
}

/**
 * Writes items in short transactions: at most {@link BATCH_ROWS} items and about {@link BATCH_MS} each, with a turn of
 * the event loop and room for other writers between them. The lease is extended by each; `busy` when it was lost.
 */
export async function writeInBatches<T>(
  run: BatchRun,
  items: readonly T[],
  write: (db: Database, item: T) => void,
): Promise<void> {
  for (let at = 0; at < items.length; ) {
    throwIfCancelled(run.signal);
    const from = at;
    at = await run.store.write(
      (db) => {
        if (!extend(db, run)) throw busy(run.lease);
        const end = run.clock.monotonic() + BATCH_MS;
        let next = from;
        while (next < items.length && next - from < BATCH_ROWS) {
          const item = items[next];
          if (item !== undefined) write(db, item);
          next += 1;
          if (run.clock.monotonic() >= end) break;
        }
        return next;
      },
      run.signal === undefined ? {} : { signal: run.signal },
    );
    await nextTurn();
  }
}
