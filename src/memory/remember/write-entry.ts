import type { IdSource } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryState, EntryType, Provenance, Trust } from '../model.ts';
import type { TokenCounter } from '../passages.ts';
import { applyEvent, type CreatePayload } from '../store/apply-event.ts';
import { writeProvenance } from '../store/entries.ts';
import { appendEvent, type LoggedEvent, type NewEvent } from '../store/events.ts';

/** What every write needs: the open transaction, who acts, when, and how passages are measured. */
export interface WriteContext {
  readonly db: Database;
  readonly ids: IdSource;
  readonly at: number;
  readonly actor: string;
  readonly countTokens: TokenCounter;
}

/** What is said of a new entry beside its text. */
export interface NewEntry {
  readonly type: EntryType;
  readonly trust: Trust;
  readonly quality: boolean;
  readonly state?: EntryState;
  readonly workflow?: string;
  readonly provenance: Provenance;
  /** Kept by an import so that an entry stays the same entry. */
  readonly id?: string;
  readonly validFrom?: number;
}

export interface WrittenEntry {
  readonly key: number;
  readonly id: string;
}

/** One event with its effect on the derived tables. */
export function record(
  context: WriteContext,
  event: Omit<NewEvent, 'at' | 'actor'>,
  before?: (logged: LoggedEvent) => void,
): LoggedEvent {
  const logged = appendEvent(context.db, { ...event, at: context.at, actor: context.actor });
  before?.(logged);
  applyEvent(context.db, logged, context.countTokens);
  return logged;
}

function writeRevision(context: WriteContext, entryKey: number, n: number, draft: Draft, eventSeq: number): void {
  context.db.run(
    'INSERT INTO revision (entry_key, n, text, fields, content_hash, event_seq, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [entryKey, n, draft.text, JSON.stringify(draft.fields), draft.contentHash, eventSeq, context.at],
  );
}

export function createEntry(context: WriteContext, draft: Draft, entry: NewEntry): WrittenEntry {
  const id = entry.id ?? context.ids.next('mem');
  const key = context.db.run('INSERT INTO entry_identity (id) VALUES (?)', [id]).lastInsertRowid;
  const payload: CreatePayload = {
    kind: draft.kind,
    type: entry.type,
    state: entry.state ?? 'active',
    trust: entry.trust,
    quality: entry.quality,
    ...(entry.workflow === undefined ? {} : { workflow: entry.workflow }),
    ...(draft.sourceKey === undefined ? {} : { sourceKey: draft.sourceKey }),
    ...(entry.validFrom === undefined ? {} : { validFrom: entry.validFrom }),
  };
  record(context, { op: 'create', entryKey: key, payload: { ...payload } }, ({ seq }) => {
    writeRevision(context, key, 1, draft, seq);
    writeProvenance(context.db, key, seq, entry.provenance);
  });
  return { key, id };
}

/** New content under the same identity; the old text stays in the history. */
export function reviseEntry(context: WriteContext, entryKey: number, draft: Draft, provenance: Provenance): void {
  const n =
    (context.db.get<{ n: number }>('SELECT MAX(n) AS n FROM revision WHERE entry_key = ?', [entryKey])?.n ?? 0) + 1;
  record(context, { op: 'revise', entryKey, payload: { revision: n } }, ({ seq }) => {
    writeRevision(context, entryKey, n, draft, seq);
    writeProvenance(context.db, entryKey, seq, provenance);
  });
}

/** The same statement again: one more observation. A closed entry is opened by it. */
export function mergeInto(
  context: WriteContext,
  entryKey: number,
  provenance: Provenance,
  options: { readonly reopen: boolean },
): void {
  if (options.reopen) record(context, { op: 'reopen', entryKey, payload: { by: 'remembered again' } });
  record(context, { op: 'merge', entryKey, payload: {} }, ({ seq }) =>
    writeProvenance(context.db, entryKey, seq, provenance),
  );
}

/** Replaces `oldKey` by `newKey`; the old entry stays readable in the past. */
export function supersedeEntry(context: WriteContext, oldKey: number, newKey: number): void {
  record(context, { op: 'supersede', entryKey: oldKey, payload: { by: newKey } });
}
