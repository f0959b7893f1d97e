import { hasLetterOrDigit } from './unicode.ts';

const PLAIN_WORD = /^["'([{]*[A-Za-z0-9]+["')\]},;:.!?]*$/;

/**
 * Longest piece that is segmented at once, in UTF-16 units: the segmenter's time grows with the square of the length.
 * A piece without white space that is longer may count one word twice for each such length.
 */
const MAX_PIECE = 128;

/** Number of words: Unicode word segments (UAX 29) that hold a letter or a digit. */
export function countWords(text: string): number {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  let count = 0;
  for (const piece of text.split(/\s+/)) {
    if (PLAIN_WORD.test(piece)) count += 1;
    else if (hasLetterOrDigit(piece)) count += countSegments(segmenter, piece);
  }
  return count;
}

function countSegments(segmenter: Intl.Segmenter, piece: string): number {
  let count = 0;
  for (let at = 0; at < piece.length; at += MAX_PIECE) {
    for (const { segment } of segmenter.segment(piece.slice(at, at + MAX_PIECE))) {
      if (hasLetterOrDigit(segment)) count += 1;
    }
  }
  return count;
}
