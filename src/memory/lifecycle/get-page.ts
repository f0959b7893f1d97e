import type { RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Entry } from '../model.ts';
import { listPending, tokenOf } from '../remember/pending.ts';
import type { ScopeRequest } from '../runtime.ts';
import { keyOf, readEntries } from '../store/entries.ts';
import type { Cursor } from './cursor.ts';
import { countSelected, type Filters, type Order, placeOf, readUsage, selectPage } from './selection.ts';
import { type Detail, type Form, type Shown, type ViewOptions, viewEntry, viewPending } from './view.ts';

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

const DEFAULT_LIMIT = 20;

/** One thing to show, and the cursor that follows it. */
export interface Candidate {
  show(options: Pick<ViewOptions, 'extent' | 'from'>): Shown;
  /** Begins after this one; with `from` inside it. */
  cursor(from?: number): Cursor;
}

/** One page of candidates. */
export interface Page {
  readonly candidates: readonly Candidate[];
  readonly hasMore: boolean;
  readonly total: number;
  readonly missing: readonly string[];
}

/** What a page depends on beside the request. */
interface Setting {
  readonly now: number;
  readonly surface: RequestContext['surface'];
}

/** The entries of one page, not yet shown. */
export function readPage(db: Database, request: GetRequest, cursor: Cursor, setting: Setting): Page {
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
