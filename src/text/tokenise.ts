import { isIdentifier, splitIdentifier } from './identifier.ts';
import { foldCase, toCompatibilityForm } from './normalise.ts';
import { type Chunk, scanChunks } from './scan.ts';
import { stemWord } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';

/** One term of a text as search sees it. */
export interface SearchToken {
  /** Case-folded; a word is stemmed, an identifier is whole, a run without spaces gives overlapping pairs. */
  readonly term: string;
  readonly kind: 'word' | 'identifier' | 'cjk';
}

/** Longest term, in UTF-16 units; the rest of a longer run (encoded data) is left out. */
const MAX_TERM = 64;
/** A compound of more parts than this is data, not a name; its further parts are left out. */
const MAX_PARTS = 32;
const SINGLE_DIGIT = /^\d$/;

/**
 * The terms of a text, in order, with repeats: words stemmed, identifiers whole and in parts, scripts without spaces
 * as overlapping pairs; stop words are dropped. Linear in the length of the text.
 */
export function tokenise(text: string): SearchToken[] {
  const tokens: SearchToken[] = [];
  const known = new Map<string, readonly SearchToken[]>();
  scanChunks(toCompatibilityForm(text), (chunk) => {
    if (chunk.kind === 'dense') {
      pushPairs(tokens, chunk.text);
      return;
    }
    if (chunk.clitic === 't') return;
    let own = known.get(chunk.text);
    if (own === undefined) {
      own = tokensOf(chunk);
      known.set(chunk.text, own);
    }
    for (const token of own) tokens.push(token);
  });
  return tokens;
}

function tokensOf(chunk: Chunk): SearchToken[] {
  if (!isIdentifier(chunk.text)) return wordTokens([chunk.text]);
  const whole = foldCase(chunk.text).slice(0, MAX_TERM);
  const parts = splitIdentifier(chunk.text).slice(0, MAX_PARTS);
  const tokens: SearchToken[] = [{ term: whole, kind: 'identifier' }];
  if (parts.length > 1 || (parts[0] !== undefined && foldCase(parts[0]) !== whole)) {
    tokens.push(...wordTokens(parts.filter((part) => !SINGLE_DIGIT.test(part))));
  }
  return tokens;
}

function wordTokens(words: readonly string[]): SearchToken[] {
  return words
    .map((word) => foldCase(word).slice(0, MAX_TERM))
    .filter((word) => !STOP_WORDS.has(word) && word !== '_')
    .map((word) => ({ term: stemWord(word), kind: 'word' }));
}

function pushPairs(tokens: SearchToken[], run: string): void {
  for (const term of characterPairs(run)) tokens.push({ term, kind: 'cjk' });
}

/** Overlapping pairs of characters; a single character is its own term. */
export function characterPairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  const pairs: string[] = [];
  for (let i = 0; i + 1 < characters.length; i++) pairs.push(`${characters[i]}${characters[i + 1]}`);
  return pairs;
}
