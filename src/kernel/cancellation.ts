import { CairnError } from './errors.ts';

/** Throws `cancelled` when the signal is aborted. Call it between the steps of anything long. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CairnError('cancelled', 'The call was cancelled.', { cause: signal.reason });
}

/** What `promise` gives, or `late` if it takes longer than `ms`. The promise goes on; its later failure is ignored. */
export async function withinDeadline<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.max(0, ms));
  });
  // The race may be lost by a promise that rejects later; that rejection has been answered by `late` already.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
