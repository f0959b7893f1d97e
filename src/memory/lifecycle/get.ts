import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Entry } from '../model.ts';
import { listPending, tokenOf } from '../remember/pending.ts';
import type { MemoryRuntime, ScopeRequest } from '../runtime.ts';
import { keyOf, readEntries } from '../store/entries.ts';
import { type Answered, startTimer } from './change.ts';
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
import { countSelected, type Filters, type Order, placeOf, readUsage, selectPage } from './selection.ts';
import {
  type Detail,
  type EntryView,
  type Form,
  type Shown,
  type ViewOptions,
  viewEntry,
  viewPending,
} from './view.ts';

export type Queue = 'pending' | 'quarantined' | 'near_duplicates' | 'conflicts' | 'never_recalled' | 'suspect';

export interface GetRequest extends ScopeRequest, Omit<Filters, 'neverRecalled' | 'suspect'> {
  /** At most 50; nothing else may narrow then. */
  readonly ids?: readonly string[] | undefined;
  readonly queue?: Queue | undefined;
  readonly detail?: Detail | undefined;
  readonly order?: Order | undefined;
  /** 1 to 100, default 20. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Default `escaped`. */
  readonly form?: Form | undefined;
}

export interface GetAnswer extends Answered {
  readonly entries: readonly EntryView[];
  /** Ids that no entry has, or whose entry was forgotten. */
  readonly missing: readonly string[];
  /** Entries, items or pairs that the request selects, over all pages. */
  readonly total: number;
  readonly nextCursor?: string;
}

const DEFAULT_LIMIT = 20;
/** Characters of all entries as JSON; what is left of 24,000 holds the rest of the answer. */
const ENTRIES_CHARS = 21_000;
/** Nothing that is stored is longer than this. */
const WHOLE = { chars: 65_536, rows: 50 };

/** One thing to show, and the cursor that follows it. */
interface Candidate {
  show(options: Pick<ViewOptions, 'extent' | 'from'>): Shown;
  /** Begins after this one; with `from` inside it. */
  cursor(from?: number): Cursor;
}

interface Page {
  readonly candidates: readonly Candidate[];
  readonly hasMore: boolean;
  readonly total: number;
  readonly missing: readonly string[];
}

/**
 * Reads entries by id, by filters or from a review queue. Never changes or creates anything. The answer is at most
 * 24,000 characters; what does not fit, a long content too, is behind `nextCursor`. Throws `invalid_input`.
 */
export async function getEntries(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: GetRequest,
): Promise<GetAnswer> {
  const elapsed = startTimer(runtime);
  refuseMix(request);
  const cursor = request.cursor === undefined ? {} : decodeCursor(request.cursor);
  const scope = await runtime.forRead(context, request);
  const empty = { candidates: [], hasMore: false, total: 0, missing: [...new Set(request.ids ?? [])] };
  const now = runtime.deps.clock.now();
  const read = scope.memory?.store.read((db) => {
    const page = readPage(db, request, cursor, { now, surface: context.surface });
    return { page, ...fillAnswer(page, cursor.from ?? 0) };
  });
  const { page, views, next } = read ?? { page: empty, views: [], next: undefined };
  return {
    entries: views,
    missing: page.missing,
    total: page.total,
    ...(next === undefined ? {} : { nextCursor: encodeCursor(next) }),
    scope: scope.report,
    warnings: scope.warnings,
    tookMs: elapsed(),
  };
}

const FILTERS = ['kind', 'type', 'state', 'source', 'tag', 'path', 'since', 'until'] as const;

/** Queues that are lists of their own, which no filter of entries narrows. */
const LISTS: readonly Queue[] = ['pending', 'near_duplicates', 'conflicts'];

/** An argument that would be passed over in silence is refused. */
function refuseMix(request: GetRequest): void {
  const isList = request.queue !== undefined && LISTS.includes(request.queue);
  if (request.ids === undefined && !isList) {
    // The queue is the state.
    if (request.queue !== undefined && request.state !== undefined) refuse('state', `the queue ${request.queue}`);
    return;
  }
  const what = request.ids === undefined ? `the queue ${request.queue}` : 'ids';
  const others =
    request.ids === undefined ? ([...FILTERS, 'order'] as const) : ([...FILTERS, 'queue', 'order'] as const);
  const extra = others.find((name) => request[name] !== undefined);
  if (extra !== undefined) refuse(extra, what);
}

function refuse(field: string, what: string): never {
  throw new CairnError('invalid_input', `${field} does nothing beside ${what}; leave one of them out.`, { field });
}

interface Setting {
  readonly now: number;
  readonly surface: RequestContext['surface'];
}

function readPage(db: Database, request: GetRequest, cursor: Cursor, setting: Setting): Page {
  const look: Look = {
    detail: request.detail ?? 'summary',
    form: request.form ?? 'escaped',
    withholdQuarantined: setting.surface === 'mcp',
  };
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (request.ids !== undefined) return pageOfIds(db, request, look, limit, cursor);
  switch (request.queue) {
    case 'pending':
      return pageOfList(
        listPending(db, setting.now).map((item) => ({
          view: ({ extent }) => ({ view: viewPending(item, tokenOf(db, item), { ...look, extent }) }),
        })),
        limit,
        cursor,
      );
    case 'near_duplicates':
      return pageOfPairs(db, 'near', look, limit, cursor);
    case 'conflicts':
      return pageOfPairs(db, 'conflict', look, limit, cursor);
    default:
      return pageOfFilters(db, { ...request, ...QUEUE_FILTERS[request.queue ?? 'none'] }, look, {
        order: request.order ?? 'newest',
        limit,
        cursor,
      });
  }
}

const QUEUE_FILTERS: Readonly<Record<'none' | 'quarantined' | 'never_recalled' | 'suspect', Filters>> = {
  none: {},
  quarantined: { state: 'quarantined' },
  never_recalled: { state: 'active', neverRecalled: true },
  suspect: { state: 'active', suspect: true },
};

type Look = Pick<ViewOptions, 'detail' | 'form' | 'withholdQuarantined'>;

interface ListItem {
  view(options: Pick<ViewOptions, 'extent' | 'from'>): Shown;
}

/** A list that is short enough to be read whole; its cursor is an index. */
function pageOfList(items: readonly ListItem[], limit: number, cursor: Cursor, missing: readonly string[] = []): Page {
  const start = cursor.index ?? 0;
  const candidates = items.slice(start, start + limit).map((item, i) => ({
    show: (options: Pick<ViewOptions, 'extent' | 'from'>) => item.view(options),
    cursor: (from?: number): Cursor => (from === undefined ? { index: start + i + 1 } : { index: start + i, from }),
  }));
  return { candidates, hasMore: start + limit < items.length, total: items.length, missing };
}

function pageOfIds(db: Database, request: GetRequest, look: Look, limit: number, cursor: Cursor): Page {
  const ids = [...new Set(request.ids)];
  const entries = readEntries(
    db,
    ids.flatMap((id) => keyOf(db, id) ?? []),
  ).filter(({ state }) => state !== 'retracted' && state !== 'erased');
  const known = new Set(entries.map(({ id }) => id));
  const usage = readUsage(
    db,
    entries.map(({ key }) => key),
  );
  const items = entries.map((entry) => ({
    view: (options: Pick<ViewOptions, 'extent' | 'from'>) =>
      viewEntry(db, entry, { ...look, ...options, recalled: usage.get(entry.key) ?? 0 }),
  }));
  // A limit that was not asked for does not cut a list of ids.
  return pageOfList(
    items,
    request.limit === undefined ? ids.length : limit,
    cursor,
    ids.filter((id) => !known.has(id)),
  );
}

interface Pair {
  readonly entry_key: number;
  readonly other_key: number;
  readonly score: number | null;
}

/** Pairs of live entries that nobody has decided about, newest first. Each is shown as its newer entry with the other's id. */
function pageOfPairs(db: Database, relation: 'near' | 'conflict', look: Look, limit: number, cursor: Cursor): Page {
  const pairs = db.all<Pair>(
    `SELECT c.entry_key, c.other_key, c.score FROM conflict c JOIN entry a ON a.key = c.entry_key JOIN entry b ON b.key = c.other_key
     WHERE c.relation = ? AND c.decided IS NULL AND a.state = 'active' AND b.state = 'active' ORDER BY c.at DESC, c.entry_key DESC, c.other_key`,
    [relation],
  );
  const entries = new Map(
    readEntries(db, [...new Set(pairs.flatMap(({ entry_key, other_key }) => [entry_key, other_key]))]).map((entry) => [
      entry.key,
      entry,
    ]),
  );
  const items = pairs.flatMap((pair): ListItem[] => {
    const entry = entries.get(pair.entry_key);
    const other = entries.get(pair.other_key);
    if (entry === undefined || other === undefined) return [];
    return [
      { view: (options) => withOther(viewEntry(db, entry, { ...look, ...options, recalled: 0 }), other, pair.score) },
    ];
  });
  return pageOfList(items, limit, cursor);
}

function withOther({ view, ...rest }: Shown, other: Entry, score: number | null): Shown {
  return { ...rest, view: { ...view, other: { id: other.id, ...(score === null ? {} : { score }) } } };
}

function pageOfFilters(
  db: Database,
  filters: Filters,
  look: Look,
  page: { order: Order; limit: number; cursor: Cursor },
): Page {
  const { order, limit, cursor } = page;
  const found = selectPage(db, filters, order, limit + 1, cursor.after);
  const entries = found.slice(0, limit);
  const usage = readUsage(
    db,
    entries.map(({ key }) => key),
  );
  let before = cursor.after;
  const candidates = entries.map((entry) => {
    const recalled = usage.get(entry.key) ?? 0;
    const place = placeOf(entry, recalled, order);
    const previous = before;
    before = place;
    return {
      show: (options: Pick<ViewOptions, 'extent' | 'from'>) => viewEntry(db, entry, { ...look, ...options, recalled }),
      cursor: (from?: number): Cursor =>
        from === undefined ? { after: place } : { ...(previous === undefined ? {} : { after: previous }), from },
    };
  });
  return { candidates, hasMore: found.length > limit, total: countSelected(db, filters), missing: [] };
}

/** As many views as fit; a first one that does not fit by itself is cut, and the cursor goes on inside it. */
function fillAnswer(page: Page, from: number): { views: EntryView[]; next: Cursor | undefined } {
  const views: EntryView[] = [];
  let left = ENTRIES_CHARS;
  let last: Cursor | undefined;
  for (const candidate of page.candidates) {
    const start = views.length === 0 ? from : 0;
    let extent = WHOLE;
    let shown = candidate.show({ extent, from: start });
    while (sizeOf(shown) > left && views.length === 0 && extent.chars > 64) {
      extent = { chars: extent.chars >> 1, rows: Math.max(1, extent.rows >> 1) };
      shown = candidate.show({ extent, from: start });
    }
    if (sizeOf(shown) > left && views.length > 0) return { views, next: last };
    views.push(shown.view);
    left -= sizeOf(shown);
    if (shown.end !== undefined) return { views, next: candidate.cursor(shown.end) };
    last = candidate.cursor();
  }
  return { views, next: page.hasMore ? last : undefined };
}

function sizeOf({ view }: Shown): number {
  return JSON.stringify(view).length + 1;
}
