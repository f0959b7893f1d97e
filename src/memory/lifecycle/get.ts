import { CairnError, type RequestContext } from '../../kernel/index.ts';
import type { MemoryRuntime } from '../runtime.ts';
import { type Answered, startTimer } from './change.ts';
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
import { type GetRequest, type Page, type Queue, readPage } from './get-page.ts';
import type { EntryView, Shown } from './view.ts';

export interface GetAnswer extends Answered {
  readonly entries: readonly EntryView[];
  /** Ids that no entry has, or whose entry was forgotten. */
  readonly missing: readonly string[];
  /** Entries, items or pairs that the request selects, over all pages. */
  readonly total: number;
  readonly nextCursor?: string;
}

/** Characters of all entries as JSON; what is left of 24,000 holds the rest of the answer. */
const ENTRIES_CHARS = 21_000;
/** Nothing that is stored is longer than this. */
const WHOLE = { chars: 65_536, rows: 50 };

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
