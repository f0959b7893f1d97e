import type { Store } from '../../storage/index.ts';
import type { RecallState } from './recall-state.ts';

/** Writes the recalls that have not been written; nothing happens where there are none or nothing may be written. */
export async function flushRecalls({
  store,
  recall,
}: {
  readonly store: Store;
  readonly recall: RecallState;
}): Promise<void> {
  if (recall.ledger.isEmpty || store.readOnly) return;
  const written = await store.write((db) => recall.ledger.flush(db));
  recall.ledger.settle(written);
}
