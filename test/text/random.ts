/** Random samples from a seed, the same in every run. */
export interface Random {
  int(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  text(alphabet: string, length: number): string;
  words(count: number): string;
}

const WORDS =
  'worker retry upload cache deploy parser token session config build module error stage review index branch commit query vector store limit signal window'.split(
    ' ',
  );

/** Mulberry32: small, and good enough for samples. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T;
  return {
    int,
    pick,
    text: (alphabet, length) => Array.from({ length }, () => pick(Array.from(alphabet))).join(''),
    words: (count) => Array.from({ length: count }, () => pick(WORDS)).join(' '),
  };
}
