import type { OpenMemory } from '../runtime.ts';
import { RecallLedger } from './ledger.ts';
import { StatisticsCache } from './statistics.ts';

/** What recall keeps in memory for one open store. */
export class RecallState {
  readonly statistics = new StatisticsCache();
  readonly ledger = new RecallLedger();
}

/** Writes the recalls that have not been written; nothing happens where there are none or nothing may be written. */
export async function flushRecalls({ store, recall }: OpenMemory): Promise<void> {
  if (recall.ledger.isEmpty || store.readOnly) return;
  const written = await store.write((db) => recall.ledger.flush(db));
  recall.ledger.settle(written);
}
