import type { Embedder } from '../../embedding/index.ts';
import { type CairnError, isCairnError, type RequestContext, withinDeadline } from '../../kernel/index.ts';
import { RETRY_DELAY_MS } from '../../protocol/index.ts';
import type { Draft } from '../draft.ts';
import { splitPassages } from '../passages.ts';
import { isTransient, type MemoryRuntime, type Scope } from '../runtime.ts';
import { classify } from './classify.ts';
import { Decider } from './decider.ts';
import type { DraftVectors } from './draft-vectors.ts';
import { type Intake, takeIn } from './intake.ts';
import { withProjectPaths } from './project-paths.ts';
import type { RememberRequest, RememberResult } from './request.ts';

/** A result with what every answer adds. */
export interface RememberAnswer extends RememberResult {
  readonly scope: Scope | undefined;
  readonly attempts: number;
  readonly tookMs: number;
}

/**
 * Remembers one thing: clean, size, redact, tier, parse, quality gates, identity and near check, write; the last two
 * in one transaction. Never throws for what a caller can cause: refusals and failures are statuses.
 */
export async function remember(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: RememberRequest,
): Promise<RememberAnswer> {
  const { clock } = runtime.deps;
  const startedAt = clock.monotonic();
  const done = (result: RememberResult, scope: Scope | undefined, attempts: number): RememberAnswer => ({
    ...result,
    warnings: [...(scope?.warnings ?? []), ...result.warnings],
    scope,
    attempts,
    tookMs: Math.round(clock.monotonic() - startedAt),
  });
  let attempts = 0;
  for (;;) {
    attempts += 1;
    try {
      const { result, scope } = await attempt(runtime, context, request);
      return done(result, scope, attempts);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      if (isTransient(error) && attempts === 1) {
        await clock.sleep(RETRY_DELAY_MS, context.signal);
        continue;
      }
      await runtime.noteFailure(error, context, request);
      return done(toFailure(error), undefined, attempts);
    }
  }
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'no_project',
  'store_damaged',
  'store_locked',
  'store_newer',
  'io_error',
  'permission_denied',
  'disk_full',
  'read_only',
  'busy',
  'cancelled',
]);

function toFailure(error: CairnError): RememberResult {
  return {
    status: UNAVAILABLE.has(error.code) ? 'unavailable' : 'rejected',
    code: error.code,
    message: error.message,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.repair === undefined ? {} : { repair: error.repair }),
    redactions: [],
    warnings: [],
  };
}

async function attempt(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: RememberRequest,
): Promise<{ result: RememberResult; scope: Scope | undefined }> {
  const classified = classify(request);
  const { tier, type, warnings } = classified;
  // A skipped event is over before its content is judged: a style nit of five words is skipped, not rejected.
  if (tier.tier === 'skip') {
    const result: RememberResult = { status: 'skipped', tier: 'skip', tierRule: tier.rule, redactions: [], warnings };
    return { result, scope: await runtime.describe(context, request) };
  }
  const intake = takeIn(request);
  const judged: RememberResult = {
    status: 'rejected',
    tier: tier.tier,
    tierRule: tier.rule,
    gates: intake.gates,
    redactions: intake.redactions,
    warnings: [...warnings, ...intake.warnings],
  };
  if (request.door === 'memory' && !intake.gates.passed) {
    return { result: { ...judged, ...gateRefusal(intake) }, scope: await runtime.describe(context, request) };
  }
  const scope =
    request.dryRun === true ? await runtime.forRead(context, request) : await runtime.forWrite(context, request);
  const memory = scope.memory;
  // A dry run on a project without a store: nothing to compare with.
  if (memory === undefined) {
    const status = tier.tier === 'prompted' ? 'needs_confirmation' : 'stored';
    return { result: { ...judged, status, type, dedup: { decision: 'unique', similar: [] }, total: 0 }, scope };
  }
  const vectors =
    scope.embedder === undefined
      ? undefined
      : await embedDrafts(scope.embedder, runtime.deps.embedWaitMs, intake.drafts);
  const located = { ...intake, drafts: intake.drafts.map((draft) => withProjectPaths(draft, scope.location)) };
  const decider = new Decider(
    runtime,
    context,
    { ...scope, memory },
    { request, intake: located, classified, vectors },
  );
  return { result: await decider.decide(judged), scope };
}

function gateRefusal(intake: Intake): Partial<RememberResult> {
  const { missing, words } = intake.gates;
  const says = missing.map((gate) => (gate === 'length' ? `length (${words} of 20 words)` : gate)).join(', ');
  return {
    status: 'rejected',
    code: 'quality_gates',
    field: 'content',
    message: `Missing: ${says}. Send context (what and where), insight (why) and action (what to do next time), naming a file, command or error.`,
  };
}

/** Vectors of each draft's passages, where the embedder gives them in time; a write never waits longer and never fails for it. */
async function embedDrafts(
  embedder: Embedder,
  waitMs: number,
  drafts: readonly Draft[],
): Promise<DraftVectors | undefined> {
  const space = embedder.space();
  if (space === undefined) return undefined;
  const spans = drafts.map((draft) => splitPassages(draft.text, (text) => embedder.countTokens(text)));
  const texts = drafts.flatMap((draft, i) => (spans[i] ?? []).map(({ start, end }) => draft.text.slice(start, end)));
  // The background pass takes over what is too long to wait for.
  if (texts.length > MAX_EMBEDDED_NOW) return undefined;
  try {
    const embedded = await withinDeadline(
      embedder.embed(texts, { priority: 'query' }),
      Math.min(waitMs, MAX_EMBED_WAIT_MS),
      'late' as const,
    );
    if (embedded === 'late') return undefined;
    const starts = spans.map((_, i) => spans.slice(0, i).reduce((sum, own) => sum + own.length, 0));
    return { space, drafts: spans.map((own, i) => embedded.slice(starts[i], (starts[i] ?? 0) + own.length)) };
  } catch (error) {
    if (isCairnError(error)) return undefined;
    throw error;
  }
}

const MAX_EMBEDDED_NOW = 8;
const MAX_EMBED_WAIT_MS = 400;
