import type { RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { actorOf } from '../remember/provenance.ts';
import type { WriteContext } from '../remember/write-entry.ts';
import type { MemoryRuntime, OpenMemory, Scope, ScopeReport, ScopeRequest } from '../runtime.ts';

/** What every lifecycle answer says beside its own news. */
export interface Answered {
  readonly scope: ScopeReport;
  readonly warnings: readonly string[];
  /** Milliseconds, rounded. */
  readonly tookMs: number;
}

/** A scope with a store in it. */
export type StoredScope = Scope & { readonly memory: OpenMemory };

/**
 * The scope of a change to what is there already. `undefined` where nothing has ever been stored: a mistaken id must
 * not leave a new store behind. Throws what {@link MemoryRuntime.forWrite} throws.
 */
export async function openForChange(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<{ readonly scope: Scope; readonly stored: StoredScope | undefined }> {
  const seen = await runtime.forRead(context, request);
  if (seen.memory === undefined) return { scope: seen, stored: undefined };
  const stored = await runtime.forWrite(context, request);
  return { scope: stored, stored };
}

/** What a write inside `db`'s transaction needs. `at` is read once per call, so that all its events share one time. */
export function writeContextOf(
  runtime: MemoryRuntime,
  context: RequestContext,
  db: Database,
  at: number,
): WriteContext {
  const { ids, embedder } = runtime.deps;
  return { db, ids, at, actor: actorOf(context), countTokens: (text) => embedder.countTokens(text) };
}

/** Measures a call from here. */
export function startTimer(runtime: MemoryRuntime): () => number {
  const { clock } = runtime.deps;
  const startedAt = clock.monotonic();
  return () => Math.round(clock.monotonic() - startedAt);
}
