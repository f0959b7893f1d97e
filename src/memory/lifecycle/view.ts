import type { Database } from '../../storage/index.ts';
import { cutAtWord, escapeMarkup } from '../../text/index.ts';
import { displayText, toErrorFixRecord } from '../draft.ts';
import type { Entry, RevisionFields } from '../model.ts';
import type { PendingItem } from '../remember/pending.ts';
import { safeText } from '../safe-text.ts';
import { readProvenance } from '../store/entries.ts';

export type Detail = 'summary' | 'full' | 'history';

/** `escaped` for a model, whose words and data travel together; `plain` for a person's eyes. */
export type Form = 'escaped' | 'plain';

/** One entry or pending item as it is answered; names as on the wire. */
export interface EntryView {
  readonly id: string;
  readonly kind: string;
  readonly type: string;
  /** An entry's state, or `pending`. */
  readonly state: string;
  readonly content: string;
  /** `content` is a part; `content_chars` has the whole's length in UTF-16 units, `content_from` where it begins. */
  readonly truncated?: true;
  readonly content_chars?: number;
  readonly content_from?: number;
  /** Why the content is not shown. */
  readonly withheld?: string;
  readonly created: string;
  readonly updated?: string;
  readonly [more: string]: unknown;
}

/** How much of an entry is shown; halved until the view fits its place. */
export interface Extent {
  /** UTF-16 units of each text. */
  readonly chars: number;
  /** Rows of each list. */
  readonly rows: number;
}

const SUMMARY_CHARS = 240;

/** Cleaned and redacted once more: rows may be older than a rule. */
function show(text: string, form: Form): string {
  return form === 'escaped' ? escapeMarkup(safeText(text)) : safeText(text);
}

/** A part of a text from a place on, whole characters only. */
function windowOf(text: string, from: number, chars: number): { part: string; end: number } {
  let end = Math.min(text.length, from + chars);
  if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end -= 1;
  return { part: text.slice(from, end), end };
}

const iso = (at: number): string => new Date(at).toISOString();

export interface ViewOptions {
  readonly detail: Detail;
  readonly form: Form;
  readonly recalled: number;
  /** Quarantined text is for a person's eyes only. */
  readonly withholdQuarantined: boolean;
  readonly extent: Extent;
  /** Where the content begins, after a cut. */
  readonly from: number;
}

/** A view and where its content ends; `end` undefined where it is whole. */
export interface Shown {
  readonly view: EntryView;
  readonly end?: number;
}

export function viewEntry(db: Database, entry: Entry, options: ViewOptions): Shown {
  const { form, detail, extent } = options;
  const withheld = options.withholdQuarantined && entry.state === 'quarantined';
  const text = safeText(displayText(entry.kind, entry.text, entry.fields));
  const { part, end } =
    detail === 'summary'
      ? { part: cutAtWord(text.replace(/\s+/g, ' '), SUMMARY_CHARS, { ellipsis: true }), end: text.length }
      : windowOf(text, options.from, extent.chars);
  const isCut =
    detail === 'summary' ? part.length < text.replace(/\s+/g, ' ').length : options.from > 0 || end < text.length;
  const view: EntryView = {
    id: entry.id,
    kind: entry.kind,
    type: entry.type,
    state: entry.state,
    content: withheld ? '' : form === 'escaped' ? escapeMarkup(part) : part,
    ...(isCut && !withheld ? { truncated: true, content_chars: text.length } : {}),
    ...(options.from > 0 ? { content_from: options.from } : {}),
    ...(withheld ? { withheld: 'in quarantine; a person reads it with `cairn memory list --queue quarantined`' } : {}),
    created: iso(entry.createdAt),
    updated: iso(entry.updatedAt),
    trust: entry.trust,
    outcomes: { worked: entry.worked, failed: entry.failed },
    recalled: options.recalled,
    ...(entry.suspect ? { suspect: true } : {}),
    ...(entry.pinned ? { pinned: true } : {}),
    ...(entry.supersededBy === undefined ? {} : { superseded_by: entry.supersededBy }),
    ...(entry.validTo === undefined ? {} : { valid_to: iso(entry.validTo) }),
    ...(detail === 'summary' ? {} : detailsOf(db, entry, options, withheld)),
    ...(detail === 'history' && !withheld ? historyOf(db, entry, options) : {}),
  };
  return end < text.length && !withheld ? { view, end } : { view };
}

function labelsOf(fields: RevisionFields, { form, extent }: ViewOptions): Record<string, unknown> {
  const list = (items: readonly string[] | undefined): string[] | undefined =>
    items?.slice(0, extent.rows).map((item) => show(item, form));
  const tags = list(fields.tags);
  const files = list(fields.files);
  return { ...(tags === undefined ? {} : { tags }), ...(files === undefined ? {} : { files }) };
}

function detailsOf(db: Database, entry: Entry, options: ViewOptions, withheld: boolean): Record<string, unknown> {
  const { form, extent } = options;
  const provenance = readProvenance(db, entry.key);
  const record = entry.kind === 'error_fix' && !withheld ? toErrorFixRecord(entry.text, entry.fields) : undefined;
  const cut = (text: string): string => show(windowOf(text, 0, extent.chars).part, form);
  return {
    quality: entry.quality,
    ...(entry.workflow === undefined ? {} : { workflow: entry.workflow }),
    ...(withheld ? {} : labelsOf(entry.fields, options)),
    ...(record === undefined
      ? {}
      : {
          error_fix: {
            signature: cut(record.signature),
            fix: cut(record.fix),
            ...(record.sourcePath === undefined ? {} : { source_path: cut(record.sourcePath) }),
            ...(record.summary === undefined ? {} : { summary: cut(record.summary) }),
          },
        }),
    observations: provenance.length,
    // The newest say where it was last seen.
    provenance: provenance.slice(-extent.rows).map(({ at, fileHash: _, ...from }) => ({
      at: iso(at),
      ...Object.fromEntries(Object.entries(from).map(([name, value]) => [name, show(String(value), form)])),
    })),
  };
}

function historyOf(db: Database, entry: Entry, { form, extent }: ViewOptions): Record<string, unknown> {
  const revisions = db.all<{ n: number; at: number; text: string; fields: string }>(
    'SELECT n, at, text, fields FROM revision WHERE entry_key = ? ORDER BY n DESC LIMIT ?',
    [entry.key, extent.rows],
  );
  const events = db.all<{ at: number; op: string; actor: string }>(
    'SELECT at, op, actor FROM event WHERE entry_key = ? ORDER BY seq DESC LIMIT ?',
    [entry.key, extent.rows],
  );
  const outcomes = db.all<{ at: number; verdict: string; session: string | null; note: string | null }>(
    'SELECT at, verdict, session, note FROM outcome WHERE entry_key = ? ORDER BY key DESC LIMIT ?',
    [entry.key, extent.rows],
  );
  return {
    revisions: revisions.map(({ n, at, text, fields }) => ({
      n,
      at: iso(at),
      content: show(
        windowOf(displayText(entry.kind, text, JSON.parse(fields) as RevisionFields), 0, extent.chars).part,
        form,
      ),
    })),
    events: events.map(({ at, op, actor }) => ({ at: iso(at), op, actor: show(actor, form) })),
    outcome_log: outcomes.map(({ at, verdict, session, note }) => ({
      at: iso(at),
      verdict,
      ...(session === null ? {} : { session: show(session, form) }),
      ...(note === null ? {} : { note: show(note, form) }),
    })),
  };
}

/** A question that waits for a decision, with the token that decides it. */
export function viewPending(
  item: PendingItem,
  token: string,
  options: Pick<ViewOptions, 'form' | 'extent' | 'detail'>,
): EntryView {
  const { kind, type, text, fields, duplicateOf } = item.payload;
  const whole = safeText(displayText(kind, text, fields));
  const limit = options.detail === 'summary' ? SUMMARY_CHARS : options.extent.chars;
  const { part } = windowOf(whole, 0, limit);
  return {
    id: item.id,
    kind,
    type,
    state: 'pending',
    content: options.form === 'escaped' ? escapeMarkup(part) : part,
    ...(part.length < whole.length ? { truncated: true, content_chars: whole.length } : {}),
    created: iso(item.createdAt),
    expires: iso(item.expiresAt),
    token,
    reason: item.reason,
    ...(duplicateOf === undefined ? {} : { duplicate_of: duplicateOf }),
  };
}
