import { isCairnError } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { TokenCounter } from '../passages.ts';
import { applyEvent } from '../store/apply-event.ts';
import { type LoggedEvent, readEvents } from '../store/events.ts';
import { bumpVectorGeneration } from '../store/index-entry.ts';

/** Derived tables that follow from the log alone; the two full-text indexes are emptied in a way of their own. */
const DERIVED_TABLES = ['entry', 'entry_tag', 'entry_file', 'passage', 'signature'] as const;
const FULL_TEXT_TABLES = ['entry_fts', 'identifier_tri'] as const;

/**
 * Drops every derived row and makes it again by replaying the log; vectors are carried over to the passages that they
 * were made for. Runs inside one write, which takes about a second for 8,000 entries: for `doctor --rebuild` and for a
 * file that nobody uses yet, never for the background of a server. `isTolerant`: an event that does not fit what is left
 * of a damaged store is passed over. Gives the number of events applied.
 */
export function rebuildTables(
  db: Database,
  countTokens: TokenCounter,
  options: { readonly isTolerant?: boolean } = {},
): number {
  db.exec(`DROP TABLE IF EXISTS temp.kept_vector;
    CREATE TEMP TABLE kept_vector AS SELECT v.space_key, v.data, v.unknown, v.text_hash, p.entry_key, p.start, p."end"
      FROM vector v JOIN passage p ON p.key = v.passage_key ORDER BY v.key;
    DELETE FROM vector;`);
  for (const table of DERIVED_TABLES) db.run(`DELETE FROM ${table}`);
  for (const table of FULL_TEXT_TABLES) db.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  // The counts follow the rows; a wrong one would stay wrong.
  db.run('DELETE FROM tally');
  let applied = 0;
  for (const event of readEvents(db)) {
    if (options.isTolerant === true ? applyIfItFits(db, event, countTokens) : apply(db, event, countTokens))
      applied += 1;
  }
  db.exec(`INSERT INTO vector (passage_key, space_key, data, unknown, text_hash)
      SELECT p.key, k.space_key, k.data, k.unknown, k.text_hash FROM temp.kept_vector k
      JOIN passage p ON p.entry_key = k.entry_key AND p.start = k.start AND p."end" = k."end" ORDER BY k.rowid;
    DROP TABLE temp.kept_vector;`);
  bumpVectorGeneration(db);
  return applied;
}

function apply(db: Database, event: LoggedEvent, countTokens: TokenCounter): true {
  applyEvent(db, event, countTokens);
  return true;
}

function applyIfItFits(db: Database, event: LoggedEvent, countTokens: TokenCounter): boolean {
  db.exec('SAVEPOINT one_event');
  try {
    applyEvent(db, event, countTokens);
    db.exec('RELEASE one_event');
    return true;
  } catch (error) {
    // A full disk or a new fault of the file is no matter of this event.
    if (isCairnError(error)) throw error;
    db.exec('ROLLBACK TO one_event; RELEASE one_event');
    return false;
  }
}
