/** Time as a capability, so that tests can say what time it is. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, an integer. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go back; for durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** A clock that stands still until it is moved; its `sleep` moves it. The fake beside the real one. */
export class ManualClock implements Clock {
  #now: number;
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }
  now(): number {
    // Waits may be fractions; the time of day is an integer.
    return Math.floor(this.#now);
  }
  monotonic(): number {
    return this.#now;
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#now += ms;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
}
