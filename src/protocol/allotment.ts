import { countChars } from '../kernel/index.ts';

/** Characters that every finding is granted before the rest is shared. */
const FIRST_GRANT = 200;
/** Characters that the grant may grow by so that its last word stays whole and the mark fits. */
const WORD_TOLERANCE = 80;

/**
 * How many characters each text may have so that together they have at most `maxChars`. Each is granted
 * min(length, 200, maxChars / count); where something is left, first every grant grows to the end of its last word,
 * then the rest goes to the texts in order.
 */
export function allotChars(texts: readonly string[], maxChars: number): number[] {
  const lengths = texts.map(countChars);
  const share = Math.floor(maxChars / Math.max(1, texts.length));
  const grants = lengths.map((length) => Math.min(length, FIRST_GRANT, share));
  let rest = maxChars - grants.reduce((sum, grant) => sum + grant, 0);
  const give = (index: number, wanted: number): void => {
    const given = Math.max(0, Math.min(wanted, rest));
    grants[index] = (grants[index] ?? 0) + given;
    rest -= given;
  };
  for (const [index, text] of texts.entries()) {
    const missing = charsToWordEnd(text, grants[index] ?? 0, lengths[index] ?? 0);
    if (missing <= rest) give(index, missing);
  }
  for (const [index, length] of lengths.entries()) give(index, length - (grants[index] ?? 0));
  return grants;
}

/** Characters to add so that a cut with its mark still shows as many characters as were granted. */
function charsToWordEnd(text: string, grant: number, length: number): number {
  if (grant >= length || grant === 0) return 0;
  const characters = Array.from(text.slice(0, 2 * (grant + WORD_TOLERANCE + 1)));
  for (let at = grant - 1; at < grant + WORD_TOLERANCE; at++) {
    const character = characters[at];
    if (character === undefined) return length - grant;
    if (/\s/.test(character)) return at + 1 - grant;
  }
  return 0;
}
