import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, readStoreFile, verifyDatabase } from '../../storage/index.ts';
import { cleanText, redactSecrets } from '../../text/index.ts';
import type { MemoryRuntime, OpenMemory } from '../runtime.ts';
import { findBrokenLink } from '../store/events.ts';
import { type Check, fault, ok, plural, warn } from './check.ts';
import { countTruth } from './truth.ts';

/** More entries than this are still kept, and worth a word. */
const MANY_ENTRIES = 250_000;
const SCANNED_PER_TURN = 100;

/** SQLite's own check, the log's chain, and what the files say of each other. */
export async function checkStore(runtime: MemoryRuntime, memory: OpenMemory): Promise<Check[]> {
  const { store } = memory;
  const { ok: isSound, problems } = await verifyDatabase(store.path, runtime.deps.storageWorker);
  if (!isSound) {
    return [fault('integrity', `The store file is damaged: ${problems[0] ?? 'unknown'}.`, 'cairn memory restore')];
  }
  const checks: Check[] = [ok('integrity', 'SQLite finds nothing wrong with the file.')];
  checks.push(checkLog(store.db));
  checks.push(checkCounts(memory));
  return checks;
}

function checkLog(db: Database): Check {
  const broken = findBrokenLink(db);
  if (broken !== undefined) return fault('log', `The log was changed at event ${broken}.`, 'cairn memory restore');
  // A chain does not show that its end is missing; the counter of the table does.
  const { given, last } = db.get<{ given: number; last: number }>(
    "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0) AS given, COALESCE(MAX(seq), 0) AS last FROM event",
  ) ?? { given: 0, last: 0 };
  if (given > last) return fault('log', `The log ends at event ${last}; it had ${given}.`, 'cairn memory restore');
  return ok('log', 'Every event of the log follows from the one before.');
}

function checkCounts({ store }: OpenMemory): Check {
  const entries = countTruth(store.db);
  const last = store.db.get<{ at: number | null }>('SELECT MAX(at) AS at FROM event')?.at;
  const when =
    last === null || last === undefined ? 'nothing was ever written' : `last written ${new Date(last).toISOString()}`;
  const known = readStoreFile(dirname(store.path))?.entries;
  const text = `${plural(entries, 'entry', 'entries')}, ${when}.`;
  if (known !== undefined && entries * 2 < known) {
    return fault('entries', `${text} There were ${known} at the last count.`, 'cairn memory restore');
  }
  return entries > MANY_ENTRIES
    ? warn('entries', `${text} Search stays exact, but takes longer.`)
    : ok('entries', text);
}

/** Texts from before a rule of redaction or cleaning existed. */
export async function checkOldRows({ store }: OpenMemory): Promise<Check> {
  let secrets = 0;
  let hidden = 0;
  for (let key = 0; ; ) {
    const rows = store.db.all<{ key: number; text: string }>(
      'SELECT key, text FROM revision WHERE key > ? ORDER BY key LIMIT ?',
      [key, SCANNED_PER_TURN],
    );
    for (const row of rows) {
      if (redactSecrets(row.text).redactions.length > 0) secrets += 1;
      if (cleanText(row.text).removed > 0) hidden += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    key = last.key;
    await nextTurn();
  }
  if (secrets > 0)
    return fault(
      'old_rows',
      `${plural(secrets, 'text')} of the history hold a secret; it is hidden in answers.`,
      'cairn memory scan --fix',
    );
  if (hidden > 0)
    return warn(
      'old_rows',
      `${plural(hidden, 'text')} of the history hold invisible characters; answers leave them out.`,
      'cairn memory scan --fix',
    );
  return ok('old_rows', 'No secret and no invisible character in any text.');
}
