import { isLatinLetter, isLetter } from './unicode.ts';

/** Every letter below this is Latin, but U+00B5, the micro sign. */
const LATIN_BLOCKS_END = 0x250;

/** 0 no letter, 1 another script, 2 Latin. */
function letterClass(code: number): 0 | 1 | 2 {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a ? 2 : 0;
  const char = String.fromCodePoint(code);
  if (!isLetter(char)) return 0;
  return (code < LATIN_BLOCKS_END && code !== 0xb5) || isLatinLetter(char) ? 2 : 1;
}

/** Share of a text's letters that are Latin, 0 to 1; 1 for a text without letters. Runs for every candidate of a query. */
export function latinShare(text: string): number {
  let letters = 0;
  let latin = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i += 1;
    const kind = letterClass(code);
    if (kind !== 0) letters += 1;
    if (kind === 2) latin += 1;
  }
  return letters === 0 ? 1 : latin / letters;
}
