/**
 * Passages: the windows in which a text is embedded and scored, so that the best part speaks for its entry. At most
 * 120 words and 254 tokens each (256 with the model's two special ones); consecutive windows share a quarter.
 */
export interface PassageSpan {
  /** UTF-16 offsets into the text, half open. */
  readonly start: number;
  readonly end: number;
}

const MAX_WORDS = 120;
const MAX_TOKENS = 254;
/** A run without white space is cut here: no word of a language is longer, and CJK text has no spaces at all. */
const MAX_RUN = 100;

/** Counts a text's tokens, special ones included; `undefined` where there is no vocabulary. */
export type TokenCounter = (text: string) => number | undefined;

/** No counter: half a token per UTF-16 unit is an upper bound for prose and close to one for code. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / 2) + 2;
}

function wordSpans(text: string): PassageSpan[] {
  const spans: PassageSpan[] = [];
  for (const match of text.matchAll(/\S+/gu)) {
    const end = match.index + match[0].length;
    for (let start = match.index; start < end; ) {
      let stop = Math.min(start + MAX_RUN, end);
      // Never between the halves of a surrogate pair.
      if (stop < end && (text.charCodeAt(stop) & 0xfc00) === 0xdc00) stop -= 1;
      spans.push({ start, end: stop });
      start = stop;
    }
  }
  return spans;
}

/** The windows of a text in order; one for a short text, none for white space. */
export function splitPassages(text: string, countTokens: TokenCounter): PassageSpan[] {
  const words = wordSpans(text);
  const last = words.at(-1);
  const first = words[0];
  if (first === undefined || last === undefined) return [];
  const spanOf = (from: number, count: number): PassageSpan => ({
    start: (words[from] ?? first).start,
    end: (words[from + count - 1] ?? last).end,
  });
  const fits = (span: PassageSpan): boolean => {
    // A token is at least one unit, so this short a text needs no counting.
    if (span.end - span.start <= MAX_TOKENS) return true;
    const part = text.slice(span.start, span.end);
    return (countTokens(part) ?? estimateTokens(part)) - 2 <= MAX_TOKENS;
  };

  const passages: PassageSpan[] = [];
  let from = 0;
  while (from < words.length) {
    let count = Math.min(MAX_WORDS, words.length - from);
    if (!fits(spanOf(from, count))) {
      // Largest count that fits; one run always does, being at most MAX_RUN units.
      let low = 1;
      let high = count - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (fits(spanOf(from, middle))) low = middle;
        else high = middle - 1;
      }
      count = low;
    }
    passages.push(spanOf(from, count));
    if (from + count >= words.length) break;
    from += Math.max(1, Math.floor(count * 0.75));
  }
  return passages;
}
