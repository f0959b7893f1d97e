/** When something that failed may be tried again: after `firstMs`, then twice as long each time, up to `maxMs`. */
export interface Backoff {
  /** Notes a failure at `now`, in milliseconds. */
  fail(now: number): void;
  isDue(now: number): boolean;
  reset(): void;
}

export function createBackoff(firstMs: number, maxMs: number): Backoff {
  let delay = 0;
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    fail(now) {
      delay = Math.min(maxMs, delay === 0 ? firstMs : delay * 2);
      dueAt = now + delay;
    },
    isDue: (now) => now >= dueAt,
    reset() {
      delay = 0;
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
