/**
 * Character classes of BERT's uncased normaliser. The general categories are those of the running Node's Unicode
 * version; the reference tokenizer carries another, so a character newer than one of the two may be treated otherwise.
 */

const WHITE_SPACE = /\s/u;
const PUNCTUATION = /\p{P}/u;
const NONSPACING_MARK = /\p{Mn}/u;
/** Control, format, private use and lone surrogates; unassigned code points are kept. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const TAB_OR_LINE_END = /[\t\n\r]/;
/** What the normaliser only lower-cases. */
const PLAIN_ASCII = /^[\t\n\r\x20-\x7e]*$/;
const ASCII_LIMIT = 128;

export function isPlainAscii(text: string): boolean {
  return PLAIN_ASCII.test(text);
}

/** Characters that the normaliser drops: NUL, the replacement character, and every control but tab and line ends. */
export function isDropped(character: string): boolean {
  return character === '\ufffd' || (CONTROL.test(character) && !TAB_OR_LINE_END.test(character));
}

export function isWhiteSpace(character: string): boolean {
  return WHITE_SPACE.test(character);
}

export function isNonspacingMark(character: string): boolean {
  return NONSPACING_MARK.test(character);
}

/** The ranges of ideographs that BERT sets apart, each as a word of its own: first and last code point. */
const IDEOGRAPHS: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];

export function isIdeograph(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0x3400 && IDEOGRAPHS.some(([first, last]) => code >= first && code <= last);
}

/** How a character ends or continues a word. */
export type Role = 'space' | 'split' | 'word';

function roleOfAscii(code: number): Role {
  const character = String.fromCharCode(code);
  if (isWhiteSpace(character)) return 'space';
  // BERT counts every printable ASCII character that is no letter or digit as punctuation, symbols included.
  return /[0-9A-Za-z]/.test(character) || code < 32 ? 'word' : 'split';
}

const ASCII_ROLES: readonly Role[] = Array.from({ length: ASCII_LIMIT }, (_, code) => roleOfAscii(code));

/** The role of a character of normalised text. */
export function roleOf(character: string): Role {
  const code = character.charCodeAt(0);
  const ascii = ASCII_ROLES[code];
  if (ascii !== undefined) return ascii;
  if (isWhiteSpace(character)) return 'space';
  return PUNCTUATION.test(character) ? 'split' : 'word';
}
