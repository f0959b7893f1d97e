import { classify } from './character-class.ts';

/** A longer run is data, not a name; its rest is left out, so that no rule has to look at all of it. In UTF-16 units. */
const MAX_CHUNK = 128;

/** A stretch of text that the tokenisers look at as one thing. */
export interface Chunk {
  /** `compound`: a word or an identifier with its inner `.`, `-` and `::`. `dense`: a run of a script without spaces. */
  readonly kind: 'compound' | 'dense';
  readonly text: string;
  /** What follows an apostrophe inside the word: `t` in "don't". */
  readonly clitic?: string;
}

const DOT = 0x2e;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const APOSTROPHES: ReadonlySet<number> = new Set([0x27, 0x2019]);
/** English endings after an apostrophe; after anything else ("l'erreur") a new word begins. */
const CLITICS: ReadonlySet<string> = new Set(['s', 't', 're', 've', 'll', 'd', 'm']);
const ASCII_LETTERS = /[A-Za-z]+/y;

/** Splits text into chunks, in order and in linear time. The text should be in NFKC. */
export function scanChunks(text: string, visit: (chunk: Chunk) => void): void {
  let at = 0;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = classify(codePoint);
    const width = codePoint > 0xffff ? 2 : 1;
    if (kind === 'other') {
      at += width;
    } else if (kind === 'dense') {
      const end = endOfRun(text, at + width, 'dense');
      visit({ kind: 'dense', text: text.slice(at, end) });
      at = end;
    } else {
      const end = endOfCompound(text, at);
      const clitic = cliticAt(text, end);
      visit({
        kind: 'compound',
        text: text.slice(at, Math.min(end, at + MAX_CHUNK)),
        ...(clitic === '' ? {} : { clitic }),
      });
      at = clitic === '' ? end : end + 1 + clitic.length;
    }
  }
}

function endOfRun(text: string, start: number, kind: 'word' | 'dense'): number {
  let at = start;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (classify(codePoint) !== kind) return at;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return at;
}

function endOfCompound(text: string, start: number): number {
  let end = endOfRun(text, start, 'word');
  for (;;) {
    const connector = text.charCodeAt(end);
    const length =
      connector === DOT || connector === HYPHEN ? 1 : connector === COLON && text.charCodeAt(end + 1) === COLON ? 2 : 0;
    if (length === 0 || end + length >= text.length) return end;
    if (classify(text.codePointAt(end + length) ?? 0) !== 'word') return end;
    end = endOfRun(text, end + length, 'word');
  }
}

function cliticAt(text: string, end: number): string {
  if (!APOSTROPHES.has(text.charCodeAt(end))) return '';
  ASCII_LETTERS.lastIndex = end + 1;
  const letters = ASCII_LETTERS.exec(text)?.[0].toLowerCase() ?? '';
  return CLITICS.has(letters) ? letters : '';
}
