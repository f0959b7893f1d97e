/** A row of the index and its score. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Keeps the `k` best of many scores: a binary heap with the worst of them on top. */
export interface TopK {
  /** Offers each of `scores`, whose slots begin at `firstSlot`. */
  offerRun(scores: Float32Array, firstSlot: number): void;
  offer(slot: number, score: number): void;
  /** In no order. */
  taken(): Scored[];
}

/** Among equal scores the lower id is better; `ids` gives it by slot. `k` is at least 1. */
export function createTopK(k: number, ids: readonly number[]): TopK {
  const heap: Scored[] = [];
  /** A score below this does not get in: one comparison rejects most of a scan. */
  let bar = Number.NEGATIVE_INFINITY;

  const idOf = (scored: Scored): number => ids[scored.slot] ?? Number.POSITIVE_INFINITY;
  const isWorse = (a: Scored, b: Scored): boolean => a.score < b.score || (a.score === b.score && idOf(a) > idOf(b));

  const siftUp = (added: Scored): void => {
    let at = heap.length;
    heap.push(added);
    for (;;) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (at === 0 || above === undefined || !isWorse(added, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = added;
  };
  /** Puts `added` in place of the worst. */
  const siftDown = (added: Scored): void => {
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isWorse(right, left);
      const below = isRight ? right : left;
      if (below === undefined || !isWorse(below, added)) break;
      heap[at] = below;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = added;
  };
  const offer = (slot: number, score: number): void => {
    const added = { slot, score };
    const worst = heap[0];
    if (heap.length < k) siftUp(added);
    else if (worst !== undefined && isWorse(worst, added)) siftDown(added);
    if (heap.length === k) bar = heap[0]?.score ?? bar;
  };

  return {
    offer,
    offerRun(scores, firstSlot) {
      for (let i = 0; i < scores.length; i++) {
        const score = scores[i] ?? Number.NEGATIVE_INFINITY;
        if (score >= bar) offer(firstSlot + i, score);
      }
    },
    taken: () => heap,
  };
}
