import type { Store } from '../../storage/index.ts';
import { displayText } from '../draft.ts';
import type { Entry } from '../model.ts';
import { selectEntries } from '../store/entries.ts';
import { cleanRevision } from './clean-revision.ts';
import type { ExportTally } from './export-jsonl.ts';

const PAGE = 128;

/** An entry as it leaves the store: cleaned and redacted once more. */
export interface ExportedEntry extends Entry {
  /** How it reads: an error-fix entry in its one-line form. */
  readonly display: string;
}

/** Every entry that has a text, in pages, oldest first; writers go on meanwhile. */
export function* exportedEntries(store: Store, tally: ExportTally): Generator<ExportedEntry> {
  for (let key = 0; ; ) {
    const page = store.read((db) =>
      selectEntries(db, `WHERE e.key > ? AND e.state NOT IN ('erased', 'retracted') ORDER BY e.key LIMIT ${PAGE}`, [
        key,
      ]),
    );
    const last = page.at(-1);
    if (last === undefined) return;
    key = last.key;
    for (const entry of page) {
      const { text, fields, removed, redactions } = cleanRevision(entry.text, entry.fields);
      tally.entries += 1;
      tally.removed += removed;
      for (const { kind, count } of redactions) tally.redactions.set(kind, (tally.redactions.get(kind) ?? 0) + count);
      yield { ...entry, text, fields, display: displayText(entry.kind, text, fields) };
    }
  }
}
