import { CairnError } from '../kernel/index.ts';

/** Most calls that run at once in one process; more are refused, not queued, so that a runaway client is told. */
const CALLS_IN_FLIGHT = 64;

/** Counts running calls. */
export interface CallGate {
  readonly running: number;
  /** Runs `body`; throws `busy` when the gate is full. */
  enter<T>(body: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
}

export function createCallGate(limit = CALLS_IN_FLIGHT): CallGate {
  let running = 0;
  let waiters: (() => void)[] = [];
  return {
    get running() {
      return running;
    },
    async enter(body) {
      if (running >= limit) {
        throw new CairnError(
          'busy',
          `${limit} calls are in flight already. Wait for one to end, then send this one again.`,
        );
      }
      running++;
      try {
        return await body();
      } finally {
        running--;
        if (running === 0) {
          for (const wake of waiters) wake();
          waiters = [];
        }
      }
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
    },
  };
}
