import { BACKGROUND_PASSAGES, BACKGROUND_TERMS } from './generated/term-background.ts';

/**
 * Share of ordinary technical passages that hold a term, 0 to 1: what a store too small to know its own word
 * frequencies is told. Counted over the documentation of our dependencies by `scripts/make-term-background.ts`.
 * The table is one string of sorted lines `term count`, searched in place: nothing is parsed and nothing is kept.
 */
export function backgroundShare(term: string): number {
  let low = 0;
  let high = BACKGROUND_TERMS.length;
  while (low < high) {
    const start = BACKGROUND_TERMS.lastIndexOf('\n', (low + high) >> 1) + 1;
    const end = BACKGROUND_TERMS.indexOf('\n', start);
    const space = BACKGROUND_TERMS.indexOf(' ', start);
    const found = BACKGROUND_TERMS.slice(start, space);
    if (found === term) return Number(BACKGROUND_TERMS.slice(space + 1, end)) / BACKGROUND_PASSAGES;
    if (found < term) low = end + 1;
    else high = start - 1;
  }
  return 0;
}
