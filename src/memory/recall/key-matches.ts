import type { Database } from '../../storage/index.ts';
import { SIGNATURE_LEVEL } from '../store/index-entry.ts';
import type { RecallQuery } from './query.ts';

/** How entries meet a query apart from words and meaning. */
export interface KeyMatches {
  readonly identical: ReadonlySet<number>;
  readonly signature: ReadonlyMap<number, 'exact' | 'core'>;
}

/** Entries that are equal to the query or have its signature: by index, exact under any load. */
export function findByKeys(db: Database, query: RecallQuery): KeyMatches {
  const identical = new Set<number>();
  for (const { contentHash } of query.drafts) {
    const rows = db.all<{ key: number }>(
      `SELECT key FROM entry INDEXED BY entry_content WHERE content_hash = ?1 AND state IN ('active', 'quarantined')
       UNION ALL SELECT key FROM entry INDEXED BY entry_inactive WHERE content_hash = ?1 AND state NOT IN ('active', 'quarantined')`,
      [contentHash],
    );
    for (const { key } of rows) identical.add(key);
  }
  const signature = new Map<number, 'exact' | 'core'>();
  const keys = query.isError && !query.isProbe ? query.signatureKeys : undefined;
  if (keys !== undefined) {
    for (const { entry_key } of signatureRows(db, keys.core ?? '', SIGNATURE_LEVEL.core))
      signature.set(entry_key, 'core');
    for (const { entry_key } of signatureRows(db, keys.exact, SIGNATURE_LEVEL.exact)) signature.set(entry_key, 'exact');
  }
  return { identical, signature };
}

/** Of one error that was met very often, only so many fixes are looked at. */
const MAX_SAME_SIGNATURE = 200;

function signatureRows(db: Database, key: string, level: number): { entry_key: number }[] {
  return db.all('SELECT entry_key FROM signature WHERE key = ? AND level = ? ORDER BY entry_key DESC LIMIT ?', [
    key,
    level,
    MAX_SAME_SIGNATURE,
  ]);
}

/** Entries with this exact signature key. */
export function entriesWithSignature(db: Database, key: string): Set<number> {
  return new Set(signatureRows(db, key, SIGNATURE_LEVEL.exact).map(({ entry_key }) => entry_key));
}
