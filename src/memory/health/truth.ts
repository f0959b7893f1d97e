import type { IdSource } from '../../kernel/index.ts';
import type { Database, TruthTables } from '../../storage/index.ts';
import type { TokenCounter } from '../passages.ts';
import { TRUTH_TABLES } from '../schema/migrations.ts';
import { mendLog } from './mend-log.ts';
import { rebuildTables } from './rebuild.ts';
import { contentHashOfRevision } from './revision-hash.ts';

/** Entries that have a text: what a person would miss. */
export const TRUTH_COUNT_SQL = "SELECT COUNT(DISTINCT entry_key) AS n FROM revision WHERE text <> ''";

export function countTruth(db: Database): number {
  return db.get<{ n: number }>(TRUTH_COUNT_SQL)?.n ?? 0;
}

/** What storage has to know of this schema to join a damaged file with a backup. */
export function memoryTruth(options: {
  readonly ids: IdSource;
  readonly now: number;
  readonly countTokens: TokenCounter;
}): TruthTables {
  return {
    // Storage carries `meta` over by itself.
    tables: TRUTH_TABLES.filter((table) => table !== 'meta'),
    countSql: TRUTH_COUNT_SQL,
    discardInvalid,
    rebuild: (db) => {
      mendLog(db, options.ids, options.now);
      rebuildTables(db, options.countTokens, { isTolerant: true });
    },
  };
}

/** More misfits than this share mean that the rule has changed since they were written, and not that they are damaged. */
const MISFIT_SHARE = 0.2;

/** A text that does not fit its own hash was damaged; the backup may have it whole. */
function discardInvalid(db: Database): void {
  const misfits: number[] = [];
  let texts = 0;
  for (const row of db.iterate<{ key: number; text: string; fields: string; content_hash: Uint8Array }>(
    "SELECT key, text, fields, content_hash FROM revision WHERE text <> ''",
  )) {
    texts += 1;
    const hash = contentHashOfRevision(row.text, row.fields);
    if (hash === undefined || !Buffer.from(hash).equals(row.content_hash)) misfits.push(row.key);
  }
  if (misfits.length > texts * MISFIT_SHARE) return;
  db.run('DELETE FROM revision WHERE key IN (SELECT value FROM json_each(?))', [JSON.stringify(misfits)]);
}
