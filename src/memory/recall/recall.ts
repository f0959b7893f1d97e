import { createHmac, randomBytes } from 'node:crypto';
import type { EmbeddedText, Embedder } from '../../embedding/index.ts';
import { type CairnError, isCairnError, type RequestContext, withinDeadline } from '../../kernel/index.ts';
import {
  cairnNotice,
  ERROR_FIX_FLOOR,
  floorOf,
  NOTICES,
  RECALL_FLOOR,
  RECALL_KEEP,
  RECALL_MAX_CHARS,
  RECALL_TOP_K,
  RETRY_DELAY_MS,
  RETRY_LIMIT,
  type RecallStatus,
} from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { isImporting } from '../exchange/old-file-state.ts';
import { isTransient, type MemoryRuntime, type OpenMemory, type Scope } from '../runtime.ts';
import { hashKeyOf } from '../store/meta.ts';
import { embedWaiting } from '../vectors/backlog.ts';
import type { QueryVector } from './dense.ts';
import { type Degraded, embedQuery, remainingMs } from './embed-query.ts';
import { toFindings, withSuspectsLast } from './findings.ts';
import { isUsableVector, prepareQuery, type RecallQuery } from './query.ts';
import type { RecallAnswer, RecallRequest } from './request.ts';
import { toResults } from './results.ts';
import { type Hit, type SearchResult, search } from './search.ts';

const DEFAULT_DEADLINE_MS = 1_500;
const HOOKS_DEADLINE_MS = 400;
/** Passages that were just stored and have no vector yet: so many are embedded before an answer. */
const MAX_WAITING = 32;

/**
 * Gives back what was learned: extracts the query, finds, scores, orders, filters by the floors and renders the block.
 * Never throws for the state of the project or the store: that is a status. Throws `invalid_input` and `cancelled`.
 * Writes nothing; its record is kept in memory until somebody writes.
 */
export async function recall(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: RecallRequest,
): Promise<RecallAnswer> {
  const { clock } = runtime.deps;
  const startedAt = clock.monotonic();
  const query = prepareQuery(request);
  for (let attempts = 1; ; attempts += 1) {
    const call = new RecallCall(runtime, context, request, query, { startedAt, attempts });
    try {
      return await call.run();
    } catch (error) {
      if (!isCairnError(error) || error.code === 'cancelled' || error.code === 'invalid_input') throw error;
      if (!isTransient(error) || attempts > RETRY_LIMIT) {
        await runtime.noteFailure(error, context, request);
        return call.failed(error);
      }
      await clock.sleep(RETRY_DELAY_MS, context.signal);
    }
  }
}

/** The vectors of a large store are still being read. */
const VECTORS_LATE: Degraded = {
  reason: 'vectors_partial',
  repair: {
    operation: 'memory_recall',
    arguments: {},
    requests: 0,
    note: 'the same call again, in a moment: the vectors are being read',
  },
};

/** The parts of an answer that a status decides. */
type Outcome = Partial<RecallAnswer> & { readonly status: RecallStatus };

class RecallCall {
  readonly #runtime: MemoryRuntime;
  readonly #context: RequestContext;
  readonly #request: RecallRequest;
  readonly #query: RecallQuery;
  readonly #startedAt: number;
  readonly #attempts: number;
  readonly #recallId: string;
  #scope: Scope | undefined;

  constructor(
    runtime: MemoryRuntime,
    context: RequestContext,
    request: RecallRequest,
    query: RecallQuery,
    trial: { readonly startedAt: number; readonly attempts: number },
  ) {
    this.#runtime = runtime;
    this.#context = context;
    this.#request = request;
    this.#query = query;
    this.#startedAt = trial.startedAt;
    this.#attempts = trial.attempts;
    this.#recallId = runtime.deps.ids.next('rec');
  }

  async run(): Promise<RecallAnswer> {
    const scope = await this.#runtime.forRead(this.#context, this.#request);
    this.#scope = scope;
    // The model loads while nobody waits for it, even where there is nothing to search yet.
    scope.embedder?.warm();
    const { memory } = scope;
    if (memory === undefined) return this.#answer(this.#nothingYet(scope));
    return this.#search(scope, memory);
  }

  failed(error: CairnError): RecallAnswer {
    const isAbsent = error.code === 'no_project';
    const notice = this.#request.door === 'hooks' ? NOTICES.recallUnavailable : cairnNotice('recallUnavailable');
    return this.#answer({
      status: isAbsent ? 'no_project' : 'unavailable',
      code: error.code,
      message: error.message,
      ...(error.repair === undefined ? {} : { repair: error.repair }),
      ...(isAbsent ? {} : { notice }),
    });
  }

  async #search(scope: Scope, memory: OpenMemory): Promise<RecallAnswer> {
    const { db } = memory.store;
    const statistics = memory.recall.statistics.read(db);
    if (statistics.entries === 0) return this.#answer(this.#nothingYet(scope));
    const { vector, degraded, embedder } = await this.#vectorOf(scope, memory);
    const coverage = memory.recall.statistics.coverage(db, vector?.fingerprint);
    const result = await search(
      {
        db,
        vectors: memory.vectors,
        statistics: memory.recall.statistics.read(db),
        now: this.#runtime.deps.clock.now(),
      },
      this.#query,
      vector,
      {
        filters: this.#request,
        nudge: this.#request.door === 'memory',
        countTokens: (text) => this.#runtime.deps.embedder.countTokens(text),
        ...(embedder === undefined ? {} : { embed: (texts) => this.#embedMore(embedder, texts) }),
      },
    );
    const isPartial = vector !== undefined && coverage.withVectors < coverage.entries;
    const importing = isImporting(this.#runtime, scope) ? IMPORTING : undefined;
    const why: Degraded | undefined =
      importing ?? degraded ?? (isPartial ? { reason: 'vectors_partial', repair: REEMBED } : undefined);
    return this.#conclude(memory, result, {
      coverage: { entries: coverage.entries, withVectors: coverage.withVectors },
      entriesInScope: statistics.active,
      ...(why === undefined ? {} : { degraded: why }),
    });
  }

  /** An empty store says nothing while the old engine's file is still being taken in. */
  #nothingYet(scope: Scope): Outcome {
    if (isImporting(this.#runtime, scope)) return { status: 'degraded', degraded: IMPORTING };
    return { status: 'empty', reason: 'no_entries' };
  }

  /** The query's vector, and the waiting passages' as far as the time allows. */
  async #vectorOf(
    scope: Scope,
    memory: OpenMemory,
  ): Promise<{ readonly vector?: QueryVector; readonly degraded?: Degraded; readonly embedder?: Embedder }> {
    const { embedder } = scope;
    const { text } = this.#query;
    // Without words there is nothing to be embedded either, and the model knows nothing of other scripts.
    if (embedder === undefined || text === '') return {};
    const limit = () =>
      remainingMs(this.#runtime.deps.clock, this.#startedAt, this.#deadlineMs(), this.#runtime.deps.embedWaitMs);
    // A process reads a store's vectors once, which takes half a second for 50,000: beside the model, and in time.
    const loading = this.#loadVectors(memory, embedder);
    const embedded = await embedQuery(embedder, text, limit(), this.#context.signal);
    if ('degraded' in embedded) return { degraded: embedded.degraded };
    if ((await withinDeadline(loading, limit().ms, 'late' as const)) === 'late') return { degraded: VECTORS_LATE };
    await this.#embedWaiting(memory, embedder, embedded.fingerprint, limit().ms);
    if (!isUsableVector(text, embedded.embedded)) return { embedder };
    return { vector: { vector: embedded.embedded.vector, fingerprint: embedded.fingerprint }, embedder };
  }

  #loadVectors(memory: OpenMemory, embedder: Embedder): Promise<void> {
    const space = embedder.space();
    const loading =
      space === undefined ? Promise.resolve() : memory.vectors.prepare(space.fingerprint, space.parts.dimension);
    // An embedder that fails first leaves this one unwatched; a fault of the store shows in the search itself.
    loading.catch(() => undefined);
    return loading;
  }

  #deadlineMs(): number {
    return this.#request.deadlineMs ?? (this.#request.door === 'hooks' ? HOOKS_DEADLINE_MS : DEFAULT_DEADLINE_MS);
  }

  /** What was stored a moment ago should be found by meaning too. What does not make it in time goes on behind. */
  async #embedWaiting(memory: OpenMemory, embedder: Embedder, fingerprint: string, ms: number): Promise<void> {
    const { statistics } = memory.recall;
    const coverage = statistics.coverage(memory.store.db, fingerprint);
    if (memory.store.readOnly || this.#runtime.deps.readOnly || coverage.waiting === 0 || ms <= 0) return;
    const signal = this.#runtime.stopping;
    const work = embedWaiting(this.#runtime, memory, { limit: MAX_WAITING, embedder, priority: 'query', signal }).catch(
      (error: unknown) => {
        // The words still answer; the background tries again.
        if (!isCairnError(error)) throw error;
      },
    );
    this.#runtime.keepTrackOf(work);
    await withinDeadline(work, ms, undefined);
  }

  /** More vectors for a near check: a repeat of a stored text is rare, and worth their time. */
  async #embedMore(embedder: Embedder, texts: readonly string[]): Promise<EmbeddedText[] | undefined> {
    try {
      const waited = embedder.embed(texts, { priority: 'query', signal: this.#context.signal });
      return await withinDeadline(waited, this.#runtime.deps.embedWaitMs, undefined);
    } catch (error) {
      if (isCairnError(error) && error.code !== 'cancelled') return undefined;
      throw error;
    }
  }

  #conclude(
    memory: OpenMemory,
    { hits, isSearchable, isHybrid }: SearchResult,
    known: Pick<RecallAnswer, 'coverage' | 'entriesInScope' | 'degraded'>,
  ): RecallAnswer {
    const { db } = memory.store;
    const given = hits.filter(({ entry }) => entry.state !== 'quarantined');
    const ordered = this.#request.door === 'hooks' ? byScore(given) : withSuspectsLast(db, given);
    const above = ordered.filter(({ passesFloor }) => passesFloor);
    const unseen = this.#withoutSeen(memory, above);
    const keep = this.#request.keep ?? RECALL_KEEP;
    const now = this.#runtime.deps.clock.now();
    const asOf = this.#request.asOf;
    const { findings, rendered } = toFindings(db, this.#query, unseen, {
      keep,
      maxChars: this.#request.maxChars ?? RECALL_MAX_CHARS,
      now,
      ...(asOf === undefined ? {} : { asOf }),
      ...(this.#request.explain === undefined ? {} : { explain: this.#request.explain }),
    });
    const below = given.filter(({ passesFloor }) => !passesFloor);
    const nearest = above.length === 0 ? byScore(below)[0] : undefined;
    const results =
      this.#request.door === 'hooks' ? toResults(db, ordered, this.#request.topK ?? RECALL_TOP_K, asOf) : [];
    const status = statusOf(given.length, above.length, known.degraded !== undefined);
    const answer = this.#answer({
      ...known,
      status,
      ...(status === 'empty' && !isSearchable ? { reason: 'no_searchable_text' } : {}),
      mode: isHybrid ? 'hybrid' : 'lexical',
      findings,
      results,
      block: rendered.block,
      aboveFloor: above.length,
      filteredCount: below.length,
      ...(nearest === undefined
        ? {}
        : { nearMiss: { id: nearest.entry.id, score: nearest.score.value, floor: nearest.floor } }),
      omitted: {
        seen: above.length - unseen.length,
        overBudget: Math.max(0, unseen.length - findings.length),
        quarantined: hits.filter(({ entry, passesFloor }) => entry.state === 'quarantined' && passesFloor).length,
      },
    });
    this.#log(memory, answer, unseen.slice(0, keep), now);
    return answer;
  }

  #withoutSeen(memory: OpenMemory, hits: readonly Hit[]): readonly Hit[] {
    const session = this.#session();
    if (this.#request.suppressSeen !== true || session === undefined) return hits;
    const given = memory.recall.ledger.givenTo(memory.store.db, session);
    return hits.filter(({ entry }) => !given.has(entry.key));
  }

  #session(): string | undefined {
    return this.#request.session ?? this.#context.session;
  }

  #log(memory: OpenMemory, answer: RecallAnswer, given: readonly Hit[], now: number): void {
    if (memory.store.readOnly || this.#runtime.deps.readOnly) return;
    const session = this.#session();
    const top = given[0]?.score.value ?? answer.nearMiss?.score;
    memory.recall.ledger.add({
      id: answer.recallId,
      at: now,
      workflow: this.#query.workflow.name,
      queryHash: hashQuery(memory.store.db, this.#query.text),
      status: answer.status,
      mode: answer.mode,
      ...(top === undefined ? {} : { topScore: top }),
      entryKeys: given.map(({ entry }) => entry.key),
      ...(session === undefined ? {} : { session }),
    });
  }

  #answer(outcome: Outcome): RecallAnswer {
    const { workflow, text, signature, reduced, isError } = this.#query;
    return {
      mode: 'lexical',
      ...(this.#scope === undefined ? {} : { scope: this.#scope.report }),
      warnings: this.#scope?.warnings ?? [],
      query: {
        text,
        workflow: workflow.name,
        ...(signature === undefined ? {} : { signature }),
        ...(reduced === undefined ? {} : { reduced }),
      },
      floors: { learning: RECALL_FLOOR, error_fix: isError ? ERROR_FIX_FLOOR : floorOf(false, 'error_fix') },
      findings: [],
      results: [],
      aboveFloor: 0,
      filteredCount: 0,
      omitted: { seen: 0, overBudget: 0, quarantined: 0 },
      block: '',
      nonce: randomBytes(8).toString('hex'),
      coverage: { entries: 0, withVectors: 0 },
      entriesInScope: 0,
      audience: workflow.audience,
      ...(workflow.broadcast === undefined ? {} : { broadcast: workflow.broadcast }),
      ...(workflow.subagents === undefined ? {} : { subagents: workflow.subagents }),
      recallId: this.#recallId,
      attempts: this.#attempts,
      ...outcome,
      tookMs: Math.round(this.#runtime.deps.clock.monotonic() - this.#startedAt),
    };
  }
}

/** The old engine's file is being taken in; asking again in a moment finds more. */
const IMPORTING: Degraded = {
  reason: 'importing',
  repair: { operation: 'hooks_stats', arguments: {}, requests: 0, note: 'counts what has been taken in so far' },
};

const REEMBED = { operation: 'hooks_reembed', arguments: {}, requests: 0 } as const;

function byScore(hits: readonly Hit[]): Hit[] {
  return [...hits].sort((a, b) => b.score.value - a.score.value || hits.indexOf(a) - hits.indexOf(b));
}

function statusOf(found: number, above: number, isDegraded: boolean): RecallStatus {
  if (isDegraded) return 'degraded';
  if (found === 0) return 'empty';
  return above === 0 ? 'below_floor' : 'ok';
}

/** A keyed hash: repeats can be counted, and nothing can be read or guessed. */
function hashQuery(db: Database, text: string): Uint8Array {
  return new Uint8Array(createHmac('sha256', hashKeyOf(db)).update(text).digest().subarray(0, 16));
}
