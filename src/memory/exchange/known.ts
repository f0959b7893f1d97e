import type { Database } from '../../storage/index.ts';
import type { Provenance } from '../model.ts';

/** Whether an entry has this observation already: same source, place and time. What it is of a file's hash may differ. */
export function hasObservation(db: Database, entryKey: number, { source, file, session, at }: Provenance): boolean {
  const row = db.get(
    'SELECT 1 FROM provenance WHERE entry_key = ? AND source = ? AND at = ? AND file IS ? AND session IS ?',
    [entryKey, source, at, file ?? null, session ?? null],
  );
  return row !== undefined;
}

/** Whether the entry has ever said this. */
export function hasRevision(db: Database, entryKey: number, contentHash: Uint8Array): boolean {
  return (
    db.get('SELECT 1 FROM revision WHERE entry_key = ? AND content_hash = ?', [entryKey, contentHash]) !== undefined
  );
}
