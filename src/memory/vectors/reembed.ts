import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../../embedding/index.ts';
import {
  CairnError,
  type ErrorShape,
  isCairnError,
  type RequestContext,
  toErrorShape,
  withinDeadline,
} from '../../kernel/index.ts';
import type { MemoryRuntime, OpenMemory, ScopeReport, ScopeRequest } from '../runtime.ts';
import { findSpace } from '../store/vectors.ts';
import { type EmbedWaitingResult, embedWaiting } from './backlog.ts';
import { coverageOf, dropVectors, findStaleVectors } from './spaces.ts';

export interface ReembedRequest extends ScopeRequest {
  /** Says what would be done. */
  readonly dryRun?: boolean | undefined;
  /** Waits so long for the end, in milliseconds, 0 to 60,000; the work goes on after that. */
  readonly waitMs?: number | undefined;
}

export interface ReembedAnswer {
  readonly status: 'nothing_to_do' | 'planned' | 'running' | 'complete' | 'failed';
  /** Fingerprint of the embedder's space; absent without weights. */
  readonly space?: string;
  readonly total: number;
  readonly done: number;
  readonly waiting: number;
  /** Ids of entries that could not be embedded. */
  readonly failed: readonly string[];
  /** Time that is left, from the speed of this run or of 30 passages a second before one is known. */
  readonly etaMs: number;
  readonly error?: ErrorShape;
  readonly scope: ScopeReport;
  readonly warnings: readonly string[];
}

/** Least speed that is promised, in passages a second: the estimate before a run has measured its own. */
const PROMISED_PER_SECOND = 30;
const STALE_PAGE = 128;
/** Between looks at another process's progress, in milliseconds. */
const LOOK_MS = 50;

/**
 * Brings the vectors of a project up to its present embedder: drops those whose text has changed, and embeds what has
 * none, in the background. Recall answers throughout from what is there. Never throws for a missing or failing
 * embedder: that is `failed`, and the texts and the lexical search are untouched.
 */
export async function reembed(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ReembedRequest,
): Promise<ReembedAnswer> {
  const scope =
    request.dryRun === true ? await runtime.forRead(context, request) : await readOrWrite(runtime, context, request);
  const base = { scope: scope.report, warnings: scope.warnings, failed: [] };
  const { memory, embedder } = scope;
  if (memory === undefined) return { ...base, status: 'nothing_to_do', total: 0, done: 0, waiting: 0, etaMs: 0 };
  const space = embedder?.space();
  if (embedder === undefined || space === undefined) {
    return { ...base, ...countsOf(memory, undefined), status: 'failed', error: missing(embedder).toShape() };
  }
  if (request.dryRun === true) {
    const counts = countsOf(memory, space.fingerprint);
    return {
      ...base,
      ...counts,
      space: space.fingerprint,
      status: isUpToDate(memory, space.fingerprint, counts) ? 'nothing_to_do' : 'planned',
    };
  }
  await dropStale(memory, space.fingerprint);
  const before = countsOf(memory, space.fingerprint);
  if (isUpToDate(memory, space.fingerprint, before))
    return { ...base, ...before, space: space.fingerprint, status: 'nothing_to_do' };
  const startedAt = runtime.deps.clock.monotonic();
  let embedded = 0;
  const run = embedWaiting(runtime, memory, {
    embedder,
    revive: true,
    // The call may be over before the work is; the end of the process ends both.
    signal: runtime.stopping,
    onBatch: (done) => {
      embedded = done;
    },
  }).catch((error: unknown) => error);
  runtime.keepTrackOf(run);
  const waitEnd = performance.now() + (request.waitMs ?? 0);
  const result = await withinDeadline(run, request.waitMs ?? 0, 'running' as const);
  if (isResult(result) && result.outcome === 'busy') await untilUpToDate(memory, space.fingerprint, waitEnd);
  const counts = countsOf(memory, space.fingerprint);
  const perSecond =
    embedded === 0 ? PROMISED_PER_SECOND : (embedded * 1000) / Math.max(1, runtime.deps.clock.monotonic() - startedAt);
  return {
    ...base,
    ...counts,
    space: space.fingerprint,
    etaMs: Math.round((counts.waiting / perSecond) * 1000),
    ...(isUpToDate(memory, space.fingerprint, counts) ? { status: 'complete' as const } : toStatus(result)),
  };
}

/** A project without a store has nothing to embed, and gets none by asking. */
async function readOrWrite(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ReembedRequest,
): ReturnType<MemoryRuntime['forRead']> {
  const seen = await runtime.forRead(context, request);
  return seen.memory === undefined ? seen : runtime.forWrite(context, request);
}

type Counts = Pick<ReembedAnswer, 'total' | 'done' | 'waiting' | 'etaMs'>;

function countsOf(memory: OpenMemory, fingerprint: string | undefined): Counts {
  const { db } = memory.store;
  const space = fingerprint === undefined ? undefined : findSpace(db, fingerprint);
  const { total, done, waiting } = coverageOf(db, space?.key);
  return { total, done, waiting, etaMs: Math.round((waiting / PROMISED_PER_SECOND) * 1000) };
}

function isUpToDate(memory: OpenMemory, fingerprint: string, { total, waiting }: Counts): boolean {
  return waiting === 0 && (total === 0 || findSpace(memory.store.db, fingerprint)?.state === 'active');
}

/** Another process or call works through the same passages: waits for its end like for one's own. */
async function untilUpToDate(memory: OpenMemory, fingerprint: string, end: number): Promise<void> {
  while (performance.now() < end && !isUpToDate(memory, fingerprint, countsOf(memory, fingerprint)))
    await sleep(LOOK_MS);
}

function toStatus(
  result: EmbedWaitingResult | 'running' | unknown,
): Pick<ReembedAnswer, 'status'> & Partial<ReembedAnswer> {
  if (result === 'running') return { status: 'running' };
  if (!isResult(result)) return { status: 'failed', error: toErrorShape(result) };
  // Another process does the same work: it goes on, and this call may be repeated to see how far it is.
  if (result.outcome === 'busy') return { status: 'running' };
  return { status: result.outcome === 'complete' ? 'complete' : 'failed', failed: result.failed };
}

function isResult(value: unknown): value is EmbedWaitingResult {
  return typeof value === 'object' && value !== null && 'outcome' in value && !isCairnError(value);
}

function missing(embedder: Embedder | undefined): CairnError {
  if (embedder === undefined) {
    return new CairnError(
      'embedder_missing',
      'This project has chosen lexical search ("embedder": "none" in config.json).',
      {
        repair: { command: 'cairn init', note: 'remove "embedder" from .cairn/config.json' },
      },
    );
  }
  if (embedder.state() === 'damaged') {
    return new CairnError(
      'embedder_damaged',
      'The model weights fail their checksum; texts and lexical search are untouched.',
      {
        repair: { command: 'npm install --global cairn-mcp --force', note: 'fetches the weights package anew' },
      },
    );
  }
  return new CairnError(
    'embedder_missing',
    'The model weights are not installed; texts and lexical search are untouched.',
    {
      repair: {
        command: 'npm install --global cairn-mcp',
        note: 'the package brings the weights; they are picked up without a restart',
      },
    },
  );
}

async function dropStale(memory: OpenMemory, fingerprint: string): Promise<void> {
  const space = findSpace(memory.store.db, fingerprint);
  if (space === undefined) return;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { stale, next } = findStaleVectors(memory.store.db, space.key, after, STALE_PAGE);
    if (stale.length > 0) await memory.store.write((db) => dropVectors(db, stale));
    after = next;
  }
}
