import { stemmer } from 'stemmer';

/** Longer runs of letters are no words; stemming them costs time and says nothing. */
const MAX_WORD = 40;
const ENGLISH_LETTERS = /^[a-z]+$/;

/** Porter's stem of a lower-case word of ASCII letters; every other word comes back unchanged. */
export function stemWord(word: string): string {
  return word.length > 2 && word.length <= MAX_WORD && ENGLISH_LETTERS.test(word) ? stemmer(word) : word;
}
