import { isIdentifier } from './identifier.ts';
import { foldCase, toCompatibilityForm } from './normalise.ts';
import { negationsOf } from './polarity.ts';
import { scanChunks } from './scan.ts';
import { stemWord } from './stem.ts';
import { FILLER_WORDS } from './stop-words.ts';
import { characterPairs } from './tokenise.ts';

/**
 * The stems that carry a statement's meaning, in order, with repeats. Only fillers (articles, "be", pronouns) are
 * dropped; negations are normalised and kept, as are before, after, first, then, until, on, off, to, from and the
 * like. An identifier is one stem.
 */
export function informativeStems(text: string): string[] {
  const stems: string[] = [];
  scanChunks(toCompatibilityForm(text), (chunk) => {
    const negations = negationsOf(chunk);
    if (chunk.kind === 'dense') {
      for (const stem of [...negations, ...characterPairs(chunk.text)]) stems.push(stem);
      return;
    }
    const folded = foldCase(chunk.text);
    if (negations.length > 0) stems.push(...negations);
    else if (isIdentifier(chunk.text)) stems.push(folded);
    else if (!FILLER_WORDS.has(folded)) stems.push(stemWord(folded));
  });
  return stems;
}
