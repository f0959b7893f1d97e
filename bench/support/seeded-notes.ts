import { seededRandom, unitVector } from './random.ts';

/** A synthetic learning with a synthetic vector of length 1. */
export interface SeededNote {
  readonly content: string;
  readonly type: 'decision' | 'context' | 'project' | 'code' | 'general';
  readonly vector: Float32Array;
}

export const VECTOR_DIMENSION = 384;

const TYPES = ['decision', 'context', 'project', 'code', 'general'] as const;
const SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cli dro fle gri plo ska tru'.split(' ');
const WORDS_PER_NOTE = 110;
const VOCABULARY = 6_000;

function word(index: number): string {
  let rest = index;
  let text = '';
  do {
    text += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return text;
}

/**
 * `count` notes of about 600 characters that the seed determines; words are drawn by Zipf's law (rank r with weight
 * 1/r) from 6,000 made-up ones. Each note names a file and a number of its own, so that none repeats another.
 */
export function* seededNotes(count: number, seed = 1): Generator<SeededNote> {
  const random = seededRandom(seed);
  for (let index = 0; index < count; index++) {
    const words = Array.from({ length: WORDS_PER_NOTE }, () => word(Math.floor(VOCABULARY ** random())));
    yield {
      content: `Note ${seed}-${index}: in src/${word(index)}-${seed}.ts line ${index + 1}, ${words.join(' ')}.`,
      type: TYPES[index % TYPES.length] ?? 'general',
      vector: unitVector(random, VECTOR_DIMENSION),
    };
  }
}
