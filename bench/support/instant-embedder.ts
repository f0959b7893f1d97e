import type { EmbeddedText, Embedder, Space } from '../../src/embedding/index.ts';
import { seededRandom, unitVector } from './random.ts';

/**
 * Gives a synthetic vector at once, stamped with the space of the shipped model: what a call costs beside the model.
 * Each text has a direction of its own, so nothing is near by meaning.
 */
export function createInstantEmbedder(space: Space): Embedder {
  const random = seededRandom(7);
  return {
    space: () => space,
    state: () => 'ready',
    warm: () => undefined,
    embed: async (texts): Promise<EmbeddedText[]> =>
      texts.map(() => ({ vector: unitVector(random, space.parts.dimension), tokens: 16, unknownShare: 0 })),
    // Four characters a token, about what English has.
    countTokens: (text) => Math.ceil(text.length / 4) + 2,
    close: async () => undefined,
  };
}
