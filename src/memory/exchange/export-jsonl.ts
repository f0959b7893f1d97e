import type { Database, Store } from '../../storage/index.ts';
import type { EntryState, RevisionFields } from '../model.ts';
import { idOf, type ProvenanceRow, toProvenance } from '../store/entries.ts';
import { cleanRevision, TextCleaner } from './clean-revision.ts';
import { BY_ID, type EventLine, EXPORT_VERSION, type ExportHeader, type TombstoneLine } from './export-line.ts';

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly op: string;
  readonly entry_key: number;
  readonly id: string;
  readonly state: EntryState | null;
  readonly actor: string;
  readonly payload: string;
  /** Seq of the entry's first event. */
  readonly first: number;
}

interface RevisionRow {
  readonly n: number;
  readonly at: number;
  readonly text: string;
  readonly fields: string;
}

interface OutcomeRow {
  readonly at: number;
  readonly session: string | null;
  readonly verdict: string;
  readonly note: string | null;
}

/** Events read in one go; keeps a turn of the event loop short. */
const PAGE = 128;

/** What leaves the store counts what was taken out on the way. */
export interface ExportTally {
  lines: number;
  entries: number;
  removed: number;
  readonly redactions: Map<string, number>;
}

/**
 * All events of the store in order, each with its rows, as lines. Reads page by page and ends at the event that was the
 * last one at the start, so writers go on meanwhile.
 */
export async function* exportLines(
  store: Store,
  header: Pick<ExportHeader, 'project_id' | 'exported_at'>,
  tally: ExportTally,
): AsyncGenerator<string> {
  const last = store.db.get<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM event')?.seq ?? 0;
  yield toLine({ cairn: 'memory-export', version: EXPORT_VERSION, ...header, events: last } satisfies ExportHeader);
  for (let seq = 0; ; ) {
    const page = store.read((db) => readPage(db, seq, last, tally));
    if (page.last === undefined) return;
    seq = page.last;
    yield page.text;
  }
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function readPage(
  db: Database,
  after: number,
  last: number,
  tally: ExportTally,
): { text: string; last: number | undefined } {
  const rows = db.all<EventRow>(
    `SELECT v.seq, v.at, v.op, v.entry_key, i.id, e.state, v.actor, v.payload,
       (SELECT MIN(f.seq) FROM event f WHERE f.entry_key = v.entry_key) AS first FROM event v
     JOIN entry_identity i ON i.key = v.entry_key LEFT JOIN entry e ON e.key = v.entry_key
     WHERE v.seq > ? AND v.seq <= ? ORDER BY v.seq LIMIT ${PAGE}`,
    [after, last],
  );
  let text = '';
  for (const row of rows) {
    if (row.state !== 'erased') text += toLine(toEventLine(db, row, tally));
    // Where its text would begin, so that later lines can refer to the id.
    else if (row.seq === row.first)
      text += toLine({ tombstone: row.id, at: erasedAt(db, row) } satisfies TombstoneLine);
    else continue;
    tally.lines += 1;
  }
  return { text, last: rows.at(-1)?.seq };
}

function erasedAt(db: Database, { entry_key, at }: EventRow): number {
  return (
    db.get<{ at: number | null }>("SELECT MAX(at) AS at FROM event WHERE entry_key = ? AND op = 'erase'", [entry_key])
      ?.at ?? at
  );
}

function toEventLine(db: Database, row: EventRow, tally: ExportTally): EventLine {
  const cleaner = new TextCleaner();
  const clean = (value: string): string => cleaner.clean(value);
  const revision = db.get<RevisionRow>(
    'SELECT n, at, text, fields FROM revision WHERE event_seq = ? AND entry_key = ?',
    [row.seq, row.entry_key],
  );
  const provenance = db
    .all<ProvenanceRow>('SELECT * FROM provenance WHERE event_seq = ? AND entry_key = ? ORDER BY key', [
      row.seq,
      row.entry_key,
    ])
    .map((from) => cleanStrings(toProvenance(from), clean));
  const outcome = db.get<OutcomeRow>(
    'SELECT at, session, verdict, note FROM outcome WHERE event_seq = ? AND entry_key = ?',
    [row.seq, row.entry_key],
  );
  if (row.op === 'create') tally.entries += 1;
  const line: EventLine = {
    at: row.at,
    op: row.op,
    entry: row.id,
    actor: clean(row.actor),
    payload: cleanStrings(toPortablePayload(db, JSON.parse(row.payload) as Record<string, unknown>), clean),
    ...(revision === undefined ? {} : { revision: toPortableRevision(revision, tally) }),
    ...(provenance.length === 0 ? {} : { provenance }),
    ...(outcome === undefined
      ? {}
      : {
          outcome: {
            at: outcome.at,
            verdict: outcome.verdict,
            ...(outcome.session === null ? {} : { session: clean(outcome.session) }),
            ...(outcome.note === null ? {} : { note: clean(outcome.note) }),
          },
        }),
  };
  count(tally, cleaner);
  return line;
}

function toPortableRevision(
  { n, at, text, fields }: RevisionRow,
  tally: ExportTally,
): NonNullable<EventLine['revision']> {
  const clean = cleanRevision(text, JSON.parse(fields) as RevisionFields);
  count(tally, clean);
  return { n, at, text: clean.text, fields: clean.fields };
}

function toPortablePayload(db: Database, payload: Record<string, unknown>): Record<string, unknown> {
  const { by, ...rest } = payload;
  return typeof by === 'number' ? { ...rest, [BY_ID]: idOf(db, by) } : payload;
}

/** The same record with its own texts cleaned; nested values are never texts here. */
function cleanStrings<T extends object>(value: T, clean: (text: string) => string): T {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, typeof item === 'string' ? clean(item) : item]),
  ) as T;
}

function count(
  tally: ExportTally,
  from: { readonly removed: number; readonly redactions: readonly { kind: string; count: number }[] },
): void {
  tally.removed += from.removed;
  for (const { kind, count: more } of from.redactions)
    tally.redactions.set(kind, (tally.redactions.get(kind) ?? 0) + more);
}
