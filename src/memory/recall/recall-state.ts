import { RecallLedger } from './ledger.ts';
import { StatisticsCache } from './statistics.ts';

/** What recall keeps in memory for one open store. */
export class RecallState {
  readonly statistics = new StatisticsCache();
  readonly ledger = new RecallLedger();
}
