import type { Database } from '../../storage/index.ts';
import { record, type WriteContext } from '../remember/write-entry.ts';
import { blankPayloads } from '../store/events.ts';
import { markForgotten } from '../store/forgotten.ts';

/**
 * Takes every text of an entry out of the tables: all revisions, observations, outcomes, pending copies, replay
 * answers, what its events say, and through the event itself the derived rows. Ids, times and keyed hashes stay, so that
 * the same text is known when it comes back. Gives the content hashes that the entry had. What the file still holds in
 * free pages and index segments is storage's part.
 */
export function eraseEntry(write: WriteContext, key: number, id: string): Uint8Array[] {
  const { db, at } = write;
  const sourceKey =
    db.get<{ source_key: string | null }>('SELECT source_key FROM entry WHERE key = ?', [key])?.source_key ?? null;
  const rows = db.all<{ content_hash: Uint8Array }>('SELECT DISTINCT content_hash FROM revision WHERE entry_key = ?', [
    key,
  ]);
  const hashes = rows.map(({ content_hash }) => content_hash);
  for (const contentHash of hashes)
    markForgotten(db, key, { contentHash, ...(sourceKey === null ? {} : { sourceKey }) }, at);
  dropPendingCopies(db, hashes);
  // Items and answers that name the entry repeat it or stand for it.
  db.run('DELETE FROM pending WHERE instr(payload, ?) > 0', [id]);
  db.run('DELETE FROM idempotency WHERE instr(answer, ?) > 0', [id]);
  // An unkeyed hash could be tested against a guess of the text, so it goes as well.
  db.run("UPDATE revision SET text = '', fields = '{}', content_hash = X'' WHERE entry_key = ?", [key]);
  for (const table of ['provenance', 'outcome', 'usage']) db.run(`DELETE FROM ${table} WHERE entry_key = ?`, [key]);
  db.run('DELETE FROM conflict WHERE entry_key = ?1 OR other_key = ?1', [key]);
  blankPayloads(db, key);
  record(write, { op: 'erase', entryKey: key, payload: {} });
  return hashes;
}

/** Removes pending items of exactly these texts. */
export function dropPendingCopies(db: Database, hashes: readonly Uint8Array[]): void {
  for (const hash of hashes) db.run('DELETE FROM pending WHERE content_hash = ?', [hash]);
}
