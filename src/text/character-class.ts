import { isWordCharacter } from './unicode.ts';

/** What a code point is to the tokeniser. */
export type CharacterClass = 'word' | 'dense' | 'other';

/** Scripts that are written without spaces between words: Thai and Lao, Myanmar, Khmer, kana, Hangul, Han. */
const DENSE_RANGES: readonly (readonly [number, number])[] = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1100, 0x11ff],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3130, 0x318f],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x3ffff],
];

/** Letters, digits, marks and `_` are word characters; those of scripts without spaces are dense. */
export function classify(codePoint: number): CharacterClass {
  if (codePoint < 0x80) {
    const isLetter = (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
    return isLetter || (codePoint >= 0x30 && codePoint <= 0x39) || codePoint === 0x5f ? 'word' : 'other';
  }
  if (!isWordCharacter(String.fromCodePoint(codePoint))) return 'other';
  return codePoint >= 0x0e00 && DENSE_RANGES.some(([from, to]) => codePoint >= from && codePoint <= to)
    ? 'dense'
    : 'word';
}
