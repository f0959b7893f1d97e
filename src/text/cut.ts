import { countChars } from '../kernel/index.ts';

export interface CutOptions {
  /** Ends a text that was cut with `…`, which counts as one of the characters. */
  readonly ellipsis?: boolean;
}

/** How far back from the limit a white space is looked for, in characters. */
const WORD_WINDOW = 80;
/** UTF-16 units after the limit that the grapheme rules may look at. */
const GRAPHEME_CONTEXT = 64;

const WHITE_SPACE = /\s/;

/**
 * Cuts a text to at most `maxChars` code points: at the last white space at or before the limit, or, where the last
 * 80 characters hold none, at a grapheme boundary. A text within the limit comes back unchanged; the white space at
 * the cut is dropped.
 */
export function cutAtWord(text: string, maxChars: number, { ellipsis = false }: CutOptions = {}): string {
  if (text.length <= maxChars || countChars(text) <= maxChars) return text;
  const mark = ellipsis && maxChars >= 1 ? '…' : '';
  const room = maxChars - mark.length;
  if (room <= 0) return mark;
  const limit = offsetOfChar(text, room);
  const at = lastWhiteSpace(text, limit) ?? graphemeBoundary(text, limit);
  return text.slice(0, at).trimEnd() + mark;
}

/** UTF-16 offset of the code point with this index. */
function offsetOfChar(text: string, index: number): number {
  let offset = 0;
  for (let i = 0; i < index && offset < text.length; i++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

function lastWhiteSpace(text: string, limit: number): number | undefined {
  let seen = 0;
  for (let at = limit; at > 0 && seen <= WORD_WINDOW; at--) {
    if (WHITE_SPACE.test(text.charAt(at))) return at;
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) seen += 1;
  }
  return undefined;
}

/** The start of the grapheme that the limit falls into; the limit itself where one grapheme fills the whole text. */
function graphemeBoundary(text: string, limit: number): number {
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(
    text.slice(0, limit + GRAPHEME_CONTEXT),
  );
  return segments.containing(limit)?.index || limit;
}
