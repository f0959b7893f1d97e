import { foldCase, toCompatibilityForm } from './normalise.ts';
import { type Chunk, scanChunks } from './scan.ts';

/** Words that deny, in lower case, each with the form it counts as. English first, then the commonest elsewhere. */
const NEGATIONS: ReadonlyMap<string, string> = new Map([
  ...['not', 'cannot', 'dont', 'doesnt', 'didnt', 'isnt', 'arent', 'wasnt', 'werent', 'wont', 'cant', 'couldnt'].map(
    (word) => [word, 'not'] as const,
  ),
  ...['never', 'no', 'none', 'nor', 'neither', 'nothing', 'nobody', 'nowhere', 'without', 'unless'].map(
    (word) => [word, word] as const,
  ),
  ...[
    'nicht',
    'kein',
    'keine',
    'keinen',
    'niemals',
    'ohne',
    'jamais',
    'sans',
    'nunca',
    'не',
    'нет',
    'без',
    'никогда',
  ].map((word) => [word, word] as const),
]);

/** What denies inside a run without spaces: Chinese, Japanese, Korean. */
const DENSE_NEGATIONS = /[不没沒未无無勿莫別别]|ない|なし|なく|ません|않|없|못/gu;

/** The normalised negations of one chunk; "don't", "cannot" and "not" are all `not`. */
export function negationsOf(chunk: Chunk): string[] {
  if (chunk.kind === 'dense') return chunk.text.match(DENSE_NEGATIONS) ?? [];
  if (chunk.clitic === 't') return ['not'];
  const negation = NEGATIONS.get(foldCase(chunk.text));
  return negation === undefined ? [] : [negation];
}

/** The distinct negations of a text, normalised, in order of appearance; empty for a text that denies nothing. */
export function polarity(text: string): string[] {
  const found = new Set<string>();
  scanChunks(toCompatibilityForm(text), (chunk) => {
    for (const negation of negationsOf(chunk)) found.add(negation);
  });
  return [...found];
}
