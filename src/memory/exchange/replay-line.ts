import type { Database } from '../../storage/index.ts';
import type { Draft } from '../draft.ts';
import { draftOfStored } from '../lifecycle/stored-draft.ts';
import type { EntryKind, EntryState, EntryType, EventOperation, Provenance } from '../model.ts';
import { findIdentity } from '../remember/decide.ts';
import { mergeInto, record, type WriteContext } from '../remember/write-entry.ts';
import type { CreatePayload } from '../store/apply-event.ts';
import { keyOf, writeProvenance } from '../store/entries.ts';
import type { LoggedEvent } from '../store/events.ts';
import { cleanRevision, TextCleaner } from './clean-revision.ts';
import { BY_ID, type EventLine, type TombstoneLine } from './export-line.ts';
import { hasObservation } from './known.ts';
import type { ImportTally } from './report.ts';

/** What all lines of one import share. */
export interface ReplayContext extends Omit<WriteContext, 'db' | 'at' | 'actor'> {
  readonly now: number;
  readonly tally: ImportTally;
}

const KINDS: readonly string[] = ['learning', 'error_fix'];
const TYPES: readonly string[] = ['decision', 'context', 'project', 'code', 'general'];
const STATES: readonly string[] = ['active', 'quarantined', 'closed', 'superseded'];

interface Current {
  readonly key: number;
  readonly kind: EntryKind;
  readonly state: EntryState;
}

/**
 * Replays the lines of an export into a store. A line that is there already does nothing, so an import can be repeated,
 * and goes on where one was killed. An entry whose statement is here under another id is not stored twice: its
 * observations and outcomes go to the one that is here.
 */
export class LineReplayer {
  readonly #context: ReplayContext;
  /** How often each (entry, time, operation) has come by in this file. */
  readonly #seen = new Map<string, number>();
  /** Entries of the file that are another entry here. */
  readonly #aliases = new Map<string, number>();
  /** Entries of the file that are not taken in; what follows about them is passed over. */
  readonly #refused = new Set<string>();

  constructor(context: ReplayContext) {
    this.#context = context;
  }

  /** The id of an erased entry is kept free of text for good. An entry that lives here is left alone, and said so. */
  tombstone(db: Database, { tombstone, at }: TombstoneLine, place: string): void {
    const key = keyOf(db, tombstone);
    if (key === undefined) {
      const write = this.#writeContext(db, at, 'import');
      const entryKey = db.run('INSERT INTO entry_identity (id) VALUES (?)', [tombstone]).lastInsertRowid;
      record(write, { op: 'erase', entryKey, payload: {} });
    } else if (readCurrent(db, key) !== undefined && readCurrent(db, key)?.state !== 'erased') {
      this.#context.tally.reject(
        place,
        `${tombstone} was erased where the export comes from and is kept here; erase it with memory_forget`,
      );
    }
  }

  event(db: Database, line: EventLine, place: string): void {
    const cleaner = new TextCleaner();
    if (line.op === 'create') this.#create(db, line, place, cleaner);
    else this.#follow(db, line, place, cleaner);
    this.#context.tally.removedCharacters += cleaner.removed;
    this.#context.tally.redact(cleaner.redactions);
  }

  #create(db: Database, line: EventLine, place: string, cleaner: TextCleaner): void {
    const { tally } = this.#context;
    const known = keyOf(db, line.entry);
    if (known !== undefined) {
      const current = readCurrent(db, known);
      if (current === undefined || current.state === 'erased') {
        this.#refuse(line, place, 'forgotten: this entry was erased here');
        return;
      }
      tally.merged += 1;
      this.#isKnown(db, known, line);
      return;
    }
    const draft = this.#draftOf(line, kindOf(line));
    const identity = findIdentity(db, draft);
    if (identity.decision === 'forgotten') {
      this.#refuse(line, place, 'forgotten: this text was forgotten on purpose');
      return;
    }
    if (identity.decision === 'superseded') {
      this.#refuse(line, place, 'superseded: a newer text has replaced this one here');
      return;
    }
    if (identity.decision === 'merge') {
      this.#aliases.set(line.entry, identity.key);
      tally.merged += 1;
      this.#observe(db, identity.key, line, cleaner);
      return;
    }
    const { payload } = line;
    const key = db.run('INSERT INTO entry_identity (id) VALUES (?)', [line.entry]).lastInsertRowid;
    // The home of a text that lives here already is not given away.
    const sourceKey = identity.decision === 'update' ? undefined : payload['sourceKey'];
    const create: CreatePayload = {
      kind: draft.kind,
      type: typeOf(payload['type']),
      state: payload['state'] === 'quarantined' ? 'quarantined' : 'active',
      trust: 'import',
      quality: payload['quality'] === true,
      ...(typeof payload['workflow'] === 'string' ? { workflow: cleaner.clean(payload['workflow']) } : {}),
      ...(typeof sourceKey === 'string' ? { sourceKey: cleaner.clean(sourceKey) } : {}),
      ...(typeof payload['validFrom'] === 'number' && Number.isSafeInteger(payload['validFrom'])
        ? { validFrom: payload['validFrom'] }
        : {}),
    };
    this.#record(db, line, key, { ...create }, { draft, cleaner });
    this.#count(line);
    tally.imported += 1;
  }

  #follow(db: Database, line: EventLine, place: string, cleaner: TextCleaner): void {
    if (this.#refused.has(line.entry)) return;
    const alias = this.#aliases.get(line.entry);
    if (alias !== undefined) {
      this.#observe(db, alias, line, cleaner);
      return;
    }
    const key = keyOf(db, line.entry);
    const current = key === undefined ? undefined : readCurrent(db, key);
    if (current === undefined || current.state === 'erased') {
      this.#refuse(line, place, 'its entry is not here');
      return;
    }
    if (this.#isKnown(db, current.key, line)) return;
    const draft = line.op === 'revise' ? this.#draftOf(line, current.kind) : undefined;
    const payload = this.#payloadOf(db, line, cleaner);
    const conflict =
      payload === undefined ? 'the entry that it names is not here' : findConflict(db, current, line.op, draft);
    if (payload === undefined || conflict !== undefined) {
      this.#context.tally.reject(place, `${line.op}: ${conflict ?? 'the entry that it names is not here'}`);
      return;
    }
    this.#record(db, line, current.key, payload, { draft, cleaner });
  }

  /** One event with its truth rows, as the one who wrote the export had it, less what may not enter. */
  #record(
    db: Database,
    line: EventLine,
    key: number,
    payload: Record<string, unknown>,
    { draft, cleaner }: { readonly draft: Draft | undefined; readonly cleaner: TextCleaner },
  ): void {
    const write = this.#writeContext(db, line.at, cleaner.clean(line.actor));
    record(write, { op: line.op as EventOperation, entryKey: key, payload }, (event) => {
      if (draft !== undefined) writeRevision(db, event, key, line, draft);
      for (const from of line.provenance ?? []) writeProvenance(db, key, event.seq, cleanProvenance(from, cleaner));
      if (line.outcome !== undefined) writeOutcome(db, event, key, line.outcome, cleaner);
    });
  }

  /** What a line says of an entry that is here under another id: who observed it, and whether it helped. */
  #observe(db: Database, key: number, line: EventLine, cleaner: TextCleaner): void {
    const write = this.#writeContext(db, line.at, cleaner.clean(line.actor));
    for (const from of line.provenance ?? []) {
      const provenance = cleanProvenance(from, cleaner);
      if (!hasObservation(db, key, provenance)) mergeInto(write, key, provenance, { reopen: false });
    }
    const { outcome } = line;
    if (outcome === undefined || line.op !== 'outcome') return;
    const isThere =
      db.get('SELECT 1 FROM outcome WHERE entry_key = ? AND at = ? AND verdict = ?', [
        key,
        outcome.at,
        outcome.verdict,
      ]) !== undefined;
    if (isThere) return;
    record(write, { op: 'outcome', entryKey: key, payload: {} }, (event) =>
      writeOutcome(db, event, key, outcome, cleaner),
    );
  }

  #draftOf(line: EventLine, kind: EntryKind): Draft {
    const { tally } = this.#context;
    const clean = cleanRevision(line.revision?.text ?? '', line.revision?.fields ?? {});
    tally.removedCharacters += clean.removed;
    tally.redact(clean.redactions);
    // Without its parts an error-fix text has no signature, and is a learning.
    const isErrorFix = kind === 'error_fix' && clean.fields.signature !== undefined && clean.fields.fix !== undefined;
    const hashed = draftOfStored(isErrorFix ? 'error_fix' : 'learning', clean.text, clean.fields);
    return { ...hashed, text: clean.text, fields: clean.fields };
  }

  #payloadOf(db: Database, line: EventLine, cleaner: TextCleaner): Record<string, unknown> | undefined {
    const kept: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(line.payload)) {
      if (name === BY_ID || name === 'by') continue;
      if (typeof value === 'string') kept[name] = cleaner.clean(value);
      else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    }
    if (line.op === 'update' && !TYPES.includes(String(kept['type']))) delete kept['type'];
    if (line.op === 'restore' && !STATES.includes(String(kept['state']))) kept['state'] = 'active';
    if (line.op !== 'supersede')
      return typeof line.payload['by'] === 'string' ? { ...kept, by: cleaner.clean(line.payload['by']) } : kept;
    const newer = String(line.payload[BY_ID]);
    const by = this.#aliases.get(newer) ?? keyOf(db, newer);
    return by === undefined ? undefined : { ...kept, by };
  }

  /** Whether the store has this event; counts it in the file. */
  #isKnown(db: Database, key: number, line: EventLine): boolean {
    const occurrence = this.#count(line);
    const row = db.get<{ n: number }>('SELECT COUNT(*) AS n FROM event WHERE entry_key = ? AND at = ? AND op = ?', [
      key,
      line.at,
      line.op,
    ]);
    return (row?.n ?? 0) >= occurrence;
  }

  #count(line: EventLine): number {
    const name = `${line.entry} ${line.at} ${line.op}`;
    const occurrence = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, occurrence);
    return occurrence;
  }

  #refuse(line: EventLine, place: string, reason: string): void {
    this.#refused.add(line.entry);
    this.#context.tally.reject(place, reason);
  }

  #writeContext(db: Database, at: number, actor: string): WriteContext {
    const { ids, countTokens, now } = this.#context;
    return { db, ids, countTokens, actor, at: Math.min(at, now) };
  }
}

function kindOf({ payload }: EventLine): EntryKind {
  return (KINDS.includes(String(payload['kind'])) ? payload['kind'] : 'learning') as EntryKind;
}

function typeOf(value: unknown): EntryType {
  return (TYPES.includes(String(value)) ? value : 'general') as EntryType;
}

function readCurrent(db: Database, key: number): Current | undefined {
  return db.get<Current>('SELECT key, kind, state FROM entry WHERE key = ?', [key]);
}

/** Two live entries of one statement or one home may not be. */
function findConflict(db: Database, current: Current, op: string, draft: Draft | undefined): string | undefined {
  const opens = op === 'reopen' || op === 'restore';
  if (draft === undefined && !opens) return undefined;
  const live = "other.key <> ?1 AND other.state IN ('active', 'quarantined')";
  const row =
    draft === undefined
      ? db.get(
          `SELECT 1 FROM entry other JOIN entry mine ON mine.key = ?1
           WHERE ${live} AND (other.content_hash = mine.content_hash OR other.source_key = mine.source_key)`,
          [current.key],
        )
      : db.get(`SELECT 1 FROM entry other WHERE ${live} AND other.content_hash = ?2`, [current.key, draft.contentHash]);
  return row === undefined ? undefined : 'another entry here says the same';
}

function writeRevision(db: Database, event: LoggedEvent, key: number, line: EventLine, draft: Draft): void {
  const n = (db.get<{ n: number | null }>('SELECT MAX(n) AS n FROM revision WHERE entry_key = ?', [key])?.n ?? 0) + 1;
  db.run(
    'INSERT INTO revision (entry_key, n, text, fields, content_hash, event_seq, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [
      key,
      n,
      draft.text,
      JSON.stringify(draft.fields),
      draft.contentHash,
      event.seq,
      Math.min(line.revision?.at ?? event.at, event.at),
    ],
  );
}

function writeOutcome(
  db: Database,
  event: LoggedEvent,
  key: number,
  outcome: NonNullable<EventLine['outcome']>,
  cleaner: TextCleaner,
): void {
  db.run('INSERT INTO outcome (entry_key, event_seq, at, session, verdict, note) VALUES (?, ?, ?, ?, ?, ?)', [
    key,
    event.seq,
    outcome.at,
    outcome.session === undefined ? null : cleaner.clean(outcome.session),
    cleaner.clean(outcome.verdict),
    outcome.note === undefined ? null : cleaner.clean(outcome.note),
  ]);
}

function cleanProvenance(from: Provenance, cleaner: TextCleaner): Provenance {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, typeof value === 'string' ? cleaner.clean(value) : value]),
  ) as unknown as Provenance;
}
