import type { Measure, SetQuery } from './sets.ts';

/** Measures of one query's list of document ids; each 0 to 1. */
export function measure(name: Measure, ranked: readonly string[], query: SetQuery): number {
  const relevant = new Set(query.relevant);
  const ignored = new Set(query.ignored);
  const list = ranked.filter((id) => !ignored.has(id));
  const place = list.findIndex((id) => relevant.has(id));
  switch (name) {
    case 'mrr':
      return place < 0 ? 0 : 1 / (place + 1);
    case 'top1':
      return place === 0 ? 1 : 0;
    case 'top3':
      return place >= 0 && place < 3 ? 1 : 0;
    case 'recall10':
      return list.slice(0, 10).filter((id) => relevant.has(id)).length / relevant.size;
    case 'ndcg10':
      return discounted(list.map((id) => relevant.has(id))) / discounted(new Array(relevant.size).fill(true));
  }
}

/** Discounted gain of the first ten places. */
function discounted(hits: readonly boolean[]): number {
  return hits.slice(0, 10).reduce((sum, hit, place) => sum + (hit ? 1 / Math.log2(place + 2) : 0), 0);
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A share with its 95 % interval (E. B. Wilson, 1927). */
export interface Share {
  readonly hits: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

export function wilson(hits: number, of: number): Share {
  if (of === 0) return { hits, of, low: 0, high: 1 };
  const z = 1.96;
  const p = hits / of;
  const centre = (p + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const spread = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  return { hits, of, low: Math.max(0, centre - spread), high: Math.min(1, centre + spread) };
}

/** `3.1 % (1.2–7.6)` */
export function percent({ hits, of, low, high }: Share): string {
  const format = (value: number): string => (100 * value).toFixed(1);
  return of === 0 ? '–' : `${format(hits / of)} % (${format(low)}–${format(high)})`;
}

/** Which half of a set a query belongs to: weights are fitted on `fit` and looked at on `held`. */
export function halfOf(query: SetQuery): 'fit' | 'held' {
  let hash = 0x811c9dc5;
  for (const unit of `${query.id} ${query.text}`) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return ((hash >>> 16) & 1) === 0 ? 'fit' : 'held';
}
