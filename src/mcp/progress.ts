/** Hosts give up on a silent call; a sign of life at least this often, in milliseconds. */
const HEARTBEAT_MS = 10_000;

export interface ProgressReporter {
  readonly report: (done: number, total?: number, message?: string) => void;
  /** Ends the heartbeat; resolves when everything reported has been sent, so that no progress comes after the answer. */
  stop(): Promise<void>;
}

/**
 * Progress of one call, with a heartbeat while the call says nothing. The protocol wants every value to be greater than
 * the one before, so a repeated value is raised by a hair.
 */
export function createProgressReporter(
  send: (progress: { progress: number; total?: number; message?: string }) => Promise<void>,
  heartbeatMs = HEARTBEAT_MS,
): ProgressReporter {
  let last = -1;
  let total: number | undefined;
  let sent = Promise.resolve();
  function report(done: number, newTotal?: number, message?: string): void {
    total = newTotal ?? total;
    last = done > last ? done : last + 1e-6;
    const next = {
      progress: last,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    sent = sent.then(() => send(next));
    timer.refresh();
  }
  const timer = setInterval(() => report(Math.max(last, 0)), heartbeatMs);
  timer.unref();
  function stop(): Promise<void> {
    clearInterval(timer);
    return sent;
  }
  return { report, stop };
}
