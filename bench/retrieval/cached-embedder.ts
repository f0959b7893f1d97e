import { join } from 'node:path';
import { resolveWeights } from '../../src/cli/weights.ts';
import { createMiniLmEmbedder, type EmbeddedText, type Embedder } from '../../src/embedding/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { VectorFile } from './vector-file.ts';

/** Texts that are embedded and kept together. */
const BATCH = 32;

/** The product's own embedder with a cache on the disk, so that a second run of the benchmark embeds nothing. */
export interface CachedEmbedder extends Embedder {
  /** Embeds what the cache does not have; reports how far it is. */
  prepare(texts: readonly string[], onProgress: (done: number, total: number) => void): Promise<void>;
  /** The vector of a text that has been prepared. */
  vectorOf(text: string): Float32Array;
}

/** `root` is the repository; the worker must have been built (`npm run build`). */
export function openCachedEmbedder(root: string): CachedEmbedder {
  const inner = createMiniLmEmbedder({
    resolveWeights,
    workerPath: join(root, 'dist', 'embedding-worker.cjs'),
    clock: systemClock,
  });
  const space = inner.space();
  if (space === undefined) throw new Error('the weights package cairn-minilm is not installed');
  const file = new VectorFile(join(root, '.cache', 'retrieval', `${space.fingerprint}.bin`), space.parts.dimension);

  const embedAndKeep = async (texts: readonly string[]): Promise<void> => {
    const vectors = await inner.embed(texts, { priority: 'background' });
    texts.forEach((text, i) => {
      const embedded = vectors[i];
      if (embedded !== undefined) file.add(text, embedded);
    });
  };
  const known = (text: string): EmbeddedText => {
    const cached = file.get(text);
    if (cached === undefined) throw new Error('a text was asked for that has not been prepared');
    return { ...cached, tokens: 0 };
  };

  return {
    space: () => space,
    state: () => 'ready',
    warm: () => undefined,
    countTokens: (text) => inner.countTokens(text),
    async embed(texts) {
      const missing = [...new Set(texts)].filter((text) => file.get(text) === undefined);
      if (missing.length > 0) await embedAndKeep(missing);
      return texts.map(known);
    },
    async prepare(texts, onProgress) {
      const missing = [...new Set(texts)].filter((text) => file.get(text) === undefined);
      for (let at = 0; at < missing.length; at += BATCH) {
        await embedAndKeep(missing.slice(at, at + BATCH));
        onProgress(Math.min(at + BATCH, missing.length), missing.length);
      }
    },
    vectorOf: (text) => known(text).vector,
    close: () => inner.close(),
  };
}
