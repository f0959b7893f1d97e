import type { SearchToken } from '../text/index.ts';

/**
 * Term bags: which terms a passage holds and how often, small enough to be kept with each passage and read for every
 * candidate, so that no text is tokenised while a query waits.
 *
 * Layout: little-endian uint32 per distinct term, ascending; the upper 24 bits are the term's hash, the lower 8 its
 * count, at most 255. Two of a passage's ~60 terms share a hash with probability 1 in 9,000; the cost is one term
 * counted that is not there.
 */
export type Bag = Uint8Array;

/** 24-bit FNV-1a of the term's UTF-16 units, folded from 32 bits. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) {
    hash ^= term.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return ((hash >>> 8) ^ (hash & 0xff)) & 0xffffff;
}

export function makeBag(tokens: readonly SearchToken[]): Bag {
  const counts = new Map<number, number>();
  for (const { term } of tokens) {
    const hash = hashTerm(term);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const packed = Uint32Array.from(counts, ([hash, count]) => ((hash << 8) | Math.min(count, 255)) >>> 0).sort();
  const bytes = new Uint8Array(packed.length * 4);
  const view = new DataView(bytes.buffer);
  packed.forEach((value, i) => {
    view.setUint32(i * 4, value, true);
  });
  return bytes;
}

/** How often the term with this hash occurs, 0 to 255. */
export function countInBag(bag: Bag, hash: number): number {
  const view = new DataView(bag.buffer, bag.byteOffset, bag.byteLength);
  let low = 0;
  let high = (bag.byteLength >> 2) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = view.getUint32(middle * 4, true);
    const at = value >>> 8;
    if (at === hash) return value & 0xff;
    if (at < hash) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
