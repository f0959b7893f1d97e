import type { EmbeddedText, Embedder } from '../../embedding/index.ts';
import { type Clock, isCairnError, type Repair, withinDeadline } from '../../kernel/index.ts';
import type { DegradedReason } from '../../protocol/index.ts';

/** Why an answer was searched without vectors, and what would help. */
export interface Degraded {
  readonly reason: DegradedReason;
  readonly repair?: Repair;
}

export type EmbeddedQuery =
  | { readonly embedded: EmbeddedText; readonly fingerprint: string }
  | { readonly degraded: Degraded };

const LATER: Repair = {
  operation: 'memory_recall',
  arguments: {},
  requests: 0,
  note: 'the same call again, in a moment',
};
const DOCTOR: Repair = { command: 'cairn doctor', note: 'says why the embedder does not run' };

/** How long a recall waits, and whose limit that is. */
export interface EmbedLimit {
  /** Milliseconds from now. */
  readonly ms: number;
  /** The caller's own deadline is the shorter one. */
  readonly isCallers: boolean;
}

/**
 * The query's vector within a time limit. An embedder that is missing, broken or late is an answer, never a failure: the
 * recall goes on with words alone.
 */
export async function embedQuery(
  embedder: Embedder,
  text: string,
  limit: EmbedLimit,
  signal: AbortSignal,
): Promise<EmbeddedQuery> {
  embedder.warm();
  const space = embedder.space();
  if (space === undefined) return { degraded: whyNot(embedder) };
  try {
    const embedded = await withinDeadline(
      embedder.embed([text], { priority: 'query', signal }),
      limit.ms,
      'late' as const,
    );
    if (embedded === 'late') return { degraded: lateness(embedder, limit) };
    const [first] = embedded;
    return first === undefined
      ? { degraded: { reason: 'embedder_failed', repair: DOCTOR } }
      : { embedded: first, fingerprint: space.fingerprint };
  } catch (error) {
    if (!isCairnError(error) || error.code === 'cancelled') throw error;
    return {
      degraded:
        error.code === 'embedder_missing'
          ? whyNot(embedder)
          : { reason: 'embedder_failed', repair: error.repair ?? DOCTOR },
    };
  }
}

function whyNot(embedder: Embedder): Degraded {
  if (embedder.state() === 'damaged') return { reason: 'embedder_failed', repair: DOCTOR };
  return {
    reason: 'embedder_missing',
    repair: { command: 'npm install cairn-minilm', note: 'the model weights; they are picked up without a restart' },
  };
}

function lateness(embedder: Embedder, limit: EmbedLimit): Degraded {
  const isWarming = embedder.state() === 'warming' || embedder.state() === 'cold';
  return { reason: isWarming && !limit.isCallers ? 'embedder_warming' : 'deadline', repair: LATER };
}

/** What is left of a call's time for the embedder, in milliseconds. */
export function remainingMs(clock: Clock, startedAt: number, deadlineMs: number, embedWaitMs: number): EmbedLimit {
  const spent = clock.monotonic() - startedAt;
  return { ms: Math.max(0, Math.min(deadlineMs, embedWaitMs) - spent), isCallers: deadlineMs < embedWaitMs };
}
