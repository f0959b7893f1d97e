import { isCairnError, withinDeadline } from '../../kernel/index.ts';
import { takeInOldFile } from '../exchange/old-file.ts';
import { flushRecalls } from '../recall/usage.ts';
import type { MemoryRuntime, OpenMemory, Scope, ScopeUse } from '../runtime.ts';
import { embedWaiting } from '../vectors/backlog.ts';
import { dropStaleVectors, keepHouse } from './housekeeping.ts';

/** When the background works, in milliseconds. */
export interface BackgroundTimes {
  /** After a call, so that its answer goes first. */
  readonly afterUseMs: number;
  /** Between rounds of housekeeping. */
  readonly houseMs: number;
}

/** Longest wait for the end of a round, in milliseconds. */
const STOP_MS = 1_500;

const TIMES: BackgroundTimes = { afterUseMs: 300, houseMs: 60_000 };

/** Work that a store gets while nobody waits for it. */
export interface Background {
  /** Works now, once, and resolves when that is done; for tests and for commands before they end. */
  runNow(): Promise<void>;
  /** Ends the work within 2 s; what was begun is finished or left for the next time. */
  stop(): Promise<void>;
}

/**
 * Starts the background work of a server: takes in an old file beside the store, embeds what waits, and once a minute
 * keeps house. It begins after the first use of a scope, never keeps the process alive, and writes nothing to a store
 * that is open for reading only. A failure is logged and tried again after the next use.
 */
export function startBackground(
  runtime: MemoryRuntime,
  options: { readonly times?: BackgroundTimes } = {},
): Background {
  const worker = new BackgroundWorker(runtime, options.times ?? TIMES);
  return { runNow: () => worker.runNow(), stop: () => worker.stop() };
}

class BackgroundWorker {
  readonly #runtime: MemoryRuntime;
  readonly #times: BackgroundTimes;
  readonly #stopping = new AbortController();
  readonly #endListening: () => void;
  /** Scopes that were used since they were last worked on; one for each store. */
  readonly #used = new Map<string, ScopeUse>();
  /** Scopes whose vectors have been compared with their texts in this process. */
  readonly #verified = new WeakSet<OpenMemory>();
  readonly #lastHouse = new WeakMap<OpenMemory, number>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #round: Promise<void> = Promise.resolve();

  constructor(runtime: MemoryRuntime, times: BackgroundTimes) {
    this.#runtime = runtime;
    this.#times = times;
    this.#endListening = runtime.onUse((use) => this.#note(use));
  }

  async runNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#startRound(true);
  }

  async stop(): Promise<void> {
    this.#endListening();
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await withinDeadline(this.#round, STOP_MS, undefined);
  }

  #note(use: ScopeUse): void {
    const { context, request } = use;
    // Uses of the background itself call for no further round.
    if (context.signal === this.#stopping.signal || this.#stopping.signal.aborted) return;
    this.#used.set(
      JSON.stringify([
        request.scope,
        request.project,
        context.workingDirectory,
        context.roots,
        context.hostProjectDirectory,
      ]),
      use,
    );
    this.#schedule(this.#times.afterUseMs);
  }

  #schedule(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const dueAt = performance.now() + ms;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#startRound(false);
    }, ms);
    this.#timer.unref();
  }

  /** One round at a time. */
  #startRound(isForced: boolean): Promise<void> {
    const work = (): Promise<void> => this.#work(isForced);
    // A round that failed in an unforeseen way is no reason never to work again.
    this.#round = this.#round.then(work, work);
    this.#runtime.keepTrackOf(this.#round);
    return this.#round;
  }

  async #work(isForced: boolean): Promise<void> {
    const uses = [...this.#used];
    this.#used.clear();
    for (const [name, use] of uses) {
      await this.#attempt(use, 'old file', () => this.#takeIn(use));
      const scope = await this.#attempt(use, 'store', () => this.#open(use));
      if (scope?.memory === undefined) continue;
      const houseInMs = await this.#serve(use, scope, scope.memory, isForced);
      if (houseInMs === 0) continue;
      // Housekeeping is not due yet: the scope stays on the list until it is.
      if (!this.#used.has(name)) this.#used.set(name, use);
      this.#schedule(houseInMs);
    }
  }

  /** Gives the milliseconds until housekeeping is due, 0 where it was done. */
  async #serve(use: ScopeUse, scope: Scope, memory: OpenMemory, isForced: boolean): Promise<number> {
    if (memory.store.readOnly || this.#runtime.deps.readOnly) return 0;
    const { signal } = this.#stopping;
    const { embedder } = scope;
    await this.#attempt(use, 'vectors', async () => {
      const space = embedder?.space();
      if (embedder === undefined || space === undefined) return;
      if (!this.#verified.has(memory)) {
        this.#verified.add(memory);
        await dropStaleVectors(memory, space.fingerprint, signal);
      }
      await embedWaiting(this.#runtime, memory, { embedder, signal });
    });
    const now = this.#runtime.deps.clock.monotonic();
    const last = this.#lastHouse.get(memory);
    if (!isForced && last !== undefined && now - last < this.#times.houseMs) return this.#times.houseMs - (now - last);
    this.#lastHouse.set(memory, now);
    await this.#attempt(use, 'usage', () => flushRecalls(memory));
    await this.#attempt(use, 'housekeeping', () => keepHouse(this.#runtime, memory));
    return 0;
  }

  async #takeIn(use: ScopeUse): Promise<void> {
    const report = await takeInOldFile(this.#runtime, this.#contextOf(use), use.request);
    if (report === undefined) return;
    const { imported, merged, rejectedCount } = report;
    this.#runtime.deps.log(
      `Taken in from intelligence.json: ${imported} new, ${merged} known, ${rejectedCount} refused.`,
    );
  }

  #open(use: ScopeUse): Promise<Scope> {
    return this.#runtime.forRead(this.#contextOf(use), use.request);
  }

  /** The call that used the scope is over; its signal and its progress are none of ours. */
  #contextOf({ context }: ScopeUse): ScopeUse['context'] {
    const { progress: _, ...rest } = context;
    return { ...rest, signal: this.#stopping.signal };
  }

  async #attempt<T>(use: ScopeUse, name: string, body: () => Promise<T>): Promise<T | undefined> {
    if (this.#stopping.signal.aborted) return undefined;
    try {
      return await body();
    } catch (error) {
      const isStopped = this.#stopping.signal.aborted || (isCairnError(error) && error.code === 'cancelled');
      if (!isStopped)
        this.#runtime.deps.log(
          `Background work on ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      // Damage that nobody has met yet is recovered before somebody does.
      if (!isStopped && isCairnError(error)) await this.#runtime.noteFailure(error, this.#contextOf(use), use.request);
      return undefined;
    }
  }
}
