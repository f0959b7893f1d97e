import { withinDeadline } from '../kernel/index.ts';

/** Why a server stops. */
export type StopReason = 'input ended' | 'output closed' | 'parent gone' | 'signal';

/** The process around the server, as far as it can end it. */
export interface ProcessHost {
  /** The id of the parent process now; another one than at the start means that the parent is gone. */
  parentId(): number;
  /** Told once for each signal that asks the process to end. */
  onSignal(listener: () => void): void;
}

/** Milliseconds of a stop, one after the other; together under the 2 s that hosts wait before they kill. */
const ANSWER_MS = 1_000;
const ABORT_MS = 200;
const CLOSE_MS = 350;
/** Added to the time of a stop, in which nobody is left to read an answer. */
const PARENT_CHECK_MS = 1_000;

export interface StopSteps {
  /** Takes no new calls. */
  stopTaking(): void;
  /** Resolves when everything taken so far has been answered. */
  answered(): Promise<void>;
  /** Aborts what still runs. */
  abort(): Promise<void>;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** Closes what is open. */
  close(): Promise<void>;
}

/** Calls `onGone` once when the parent process is not the one of the start any more; never keeps the process alive. */
export function watchParent(host: ProcessHost, onGone: () => void): () => void {
  const parent = host.parentId();
  const timer = setInterval(() => {
    if (host.parentId() === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Ends a server in order: running calls may finish while somebody reads the answer, then are aborted, then all is closed; each within its time. */
export async function stopInOrder(steps: StopSteps, reason: StopReason): Promise<void> {
  steps.stopTaking();
  const isHeard = reason !== 'parent gone' && reason !== 'output closed';
  if (isHeard) await withinDeadline(steps.answered(), ANSWER_MS, undefined);
  await withinDeadline(steps.abort(), ABORT_MS, undefined);
  await withinDeadline(steps.idle(), ABORT_MS, undefined);
  await withinDeadline(steps.close(), CLOSE_MS, undefined);
}
