import type { SearchToken } from '../text/index.ts';

/**
 * Term bags: which terms a passage holds and how often, small enough to be kept with each passage and read for every
 * candidate, so that no text is tokenised while a query waits.
 *
 * Layout: three bytes per distinct term, big-endian, ascending; the upper 20 bits are the term's hash, the lower 4 its
 * count, at most 15 (BM25 is flat by then). A query term that a passage of 60 terms does not hold is found in it by a
 * shared hash with probability 1 in 17,000.
 */
export type Bag = Uint8Array;

const BYTES_PER_TERM = 3;
const COUNT_BITS = 4;
const MAX_COUNT = (1 << COUNT_BITS) - 1;

/** 20-bit FNV-1a of the term's UTF-16 units, folded from 32 bits. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) {
    hash ^= term.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return ((hash >>> 12) ^ hash) & 0xfffff;
}

export function makeBag(tokens: readonly SearchToken[]): Bag {
  const counts = new Map<number, number>();
  for (const { term } of tokens) {
    const hash = hashTerm(term);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const packed = Uint32Array.from(counts, ([hash, count]) => (hash << COUNT_BITS) | Math.min(count, MAX_COUNT)).sort();
  const bytes = new Uint8Array(packed.length * BYTES_PER_TERM);
  packed.forEach((value, i) => {
    bytes[i * BYTES_PER_TERM] = value >>> 16;
    bytes[i * BYTES_PER_TERM + 1] = value >>> 8;
    bytes[i * BYTES_PER_TERM + 2] = value;
  });
  return bytes;
}

/** Share of distinct terms that two bags have in common, 0 to 1. */
export function sharedTerms(a: Bag, b: Bag): number {
  const hashes = (bag: Bag): Set<number> => {
    const found = new Set<number>();
    for (let at = 0; at < bag.length; at += BYTES_PER_TERM) {
      found.add(((bag[at] ?? 0) << 12) | ((bag[at + 1] ?? 0) << 4) | ((bag[at + 2] ?? 0) >>> COUNT_BITS));
    }
    return found;
  };
  const left = hashes(a);
  const right = hashes(b);
  let common = 0;
  for (const hash of left) if (right.has(hash)) common += 1;
  return common === 0 ? 0 : common / (left.size + right.size - common);
}

/** How often the term with this hash occurs, 0 to 15. */
export function countInBag(bag: Bag, hash: number): number {
  let low = 0;
  let high = bag.length / BYTES_PER_TERM - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = middle * BYTES_PER_TERM;
    const value = ((bag[at] ?? 0) << 16) | ((bag[at + 1] ?? 0) << 8) | (bag[at + 2] ?? 0);
    const found = value >>> COUNT_BITS;
    if (found === hash) return value & MAX_COUNT;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
