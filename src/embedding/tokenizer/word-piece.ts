import { roleOf } from './characters.ts';
import { normalise } from './normalise.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A longer word, in code points, is one unknown token. */
const MAX_WORD_CHARACTERS = 100;
/** Words whose pieces are remembered; the memory starts anew when it is full. */
const MEMORY_WORDS = 8_192;
/** Special tokens are found in the text as written, before it is normalised. */
const SPECIAL = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;

export interface Tokens {
  /** Ids with `[CLS]` and `[SEP]` around them. */
  readonly ids: readonly number[];
  /** Share of `[UNK]` among the tokens between the two, 0 to 1; 0 for no tokens. */
  readonly unknownShare: number;
}

export interface Tokenizer {
  /** At most `limit` tokens, the two special ones included; what is over is cut from the end. */
  encode(text: string, limit: number): Tokens;
  /** Tokens before any cut, the two special ones included. */
  count(text: string): number;
}

/** The words of normalised text: split at white space, each punctuation character a word of its own. */
function* wordsOf(text: string): Generator<string> {
  let start = 0;
  let at = 0;
  for (const character of text) {
    const role = roleOf(character);
    const next = at + character.length;
    if (role !== 'word') {
      if (at > start) yield text.slice(start, at);
      if (role === 'split') yield character;
      start = next;
    }
    at = next;
  }
  if (at > start) yield text.slice(start);
}

function isTooLong(word: string): boolean {
  return word.length > MAX_WORD_CHARACTERS && [...word].length > MAX_WORD_CHARACTERS;
}

/** Longest pieces first, from the left; a word that cannot be covered is one `[UNK]`. */
function piecesOf(word: string, vocabulary: Vocabulary): readonly number[] {
  const whole = vocabulary.idOf(word);
  if (whole !== undefined) return [whole];
  if (isTooLong(word)) return [vocabulary.unknown];
  const pieces: number[] = [];
  for (let start = 0; start < word.length; ) {
    const prefix = start === 0 ? '' : '##';
    let end = Math.min(word.length, start + vocabulary.longest);
    let id = vocabulary.idOf(prefix + word.slice(start, end));
    while (id === undefined && end > start + 1) id = vocabulary.idOf(prefix + word.slice(start, --end));
    if (id === undefined) return [vocabulary.unknown];
    pieces.push(id);
    start = end;
  }
  return pieces;
}

/** BERT's uncased WordPiece, equal to the reference tokenizer up to the Unicode version. */
export function createTokenizer(vocabulary: Vocabulary): Tokenizer {
  const remembered = new Map<string, readonly number[]>();

  const lookUp = (word: string): readonly number[] => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    if (remembered.size >= MEMORY_WORDS) remembered.clear();
    const pieces = piecesOf(word, vocabulary);
    remembered.set(word, pieces);
    return pieces;
  };

  /** Appends the ids of a stretch without special tokens; stops soon after `ids` has `limit`. */
  const appendWords = (text: string, ids: number[], limit: number): void => {
    for (const word of wordsOf(normalise(text))) {
      for (const id of lookUp(word)) ids.push(id);
      if (ids.length >= limit) return;
    }
  };

  const encodeUpTo = (text: string, limit: number): number[] => {
    const ids = [vocabulary.classify];
    let at = 0;
    for (const match of text.matchAll(SPECIAL)) {
      const id = vocabulary.idOf(match[0]);
      if (id === undefined) continue;
      appendWords(text.slice(at, match.index), ids, limit);
      ids.push(id);
      at = match.index + match[0].length;
    }
    appendWords(text.slice(at), ids, limit);
    if (ids.length >= limit) ids.length = limit - 1;
    ids.push(vocabulary.separate);
    return ids;
  };

  return {
    encode(text, limit) {
      const ids = encodeUpTo(text, limit);
      const inner = ids.length - 2;
      const unknown = ids.reduce((count, id) => (id === vocabulary.unknown ? count + 1 : count), 0);
      return { ids, unknownShare: inner === 0 ? 0 : unknown / inner };
    },
    count: (text) => encodeUpTo(text, Number.POSITIVE_INFINITY).length,
  };
}
