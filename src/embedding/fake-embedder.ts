import { createHash } from 'node:crypto';
import { CairnError, throwIfCancelled } from '../kernel/index.ts';
import type { EmbeddedText, Embedder, EmbedderState, Space } from './embedder.ts';
import { fingerprintOf } from './space.ts';

const DIMENSION = 384;
const MAX_TOKENS = 256;
const SPECIAL_TOKENS = 2;

/** How the fake behaves from now on. `stalled`: calls wait until it is anything else. */
export type FakeBehaviour = 'ready' | 'stalled' | 'failing' | 'missing' | 'damaged';

export interface FakeEmbedder extends Embedder {
  behave(behaviour: FakeBehaviour): void;
  /** Texts that were embedded so far, in order. */
  readonly embedded: readonly string[];
}

export interface FakeOptions {
  readonly behaviour?: FakeBehaviour;
  /** Another revision is another space. */
  readonly revision?: string;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Adds a word's direction: eight places, each up or down, by its hash. */
function addWord(word: string, vector: Float32Array): void {
  const hash = createHash('sha256').update(word).digest();
  for (let i = 0; i < 8; i++) {
    const place = hash.readUInt16LE(i * 2) % DIMENSION;
    vector[place] = (vector[place] ?? 0) + ((hash[16 + i] ?? 0) % 2 === 0 ? 1 : -1);
  }
}

/** Hashed bag of words, length 1: texts with the same words are near, whatever they mean. Never a zero vector. */
function toVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  for (const word of wordsOf(text)) addWord(word, vector);
  if (vector.every((value) => value === 0)) addWord(`\0${text}`, vector);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/**
 * The deterministic stand-in for tests of other rooms; it never runs in the product. Its state follows `behave`, its
 * vectors are those of `toVector`, its tokens are words.
 */
export function createFakeEmbedder(options: FakeOptions = {}): FakeEmbedder {
  let behaviour = options.behaviour ?? 'ready';
  let isClosed = false;
  const embedded: string[] = [];
  const waiting = new Set<() => void>();
  const space: Space = fingerprintOf({
    provider: 'fake',
    model: 'bag-of-words',
    revision: options.revision ?? '1',
    dimension: DIMENSION,
    pooling: 'mean',
    normalised: true,
    queryPrefix: '',
    passagePrefix: '',
    maxTokens: MAX_TOKENS,
    weightsHash: '0'.repeat(64),
  });
  const hasWeights = (): boolean => behaviour !== 'missing' && behaviour !== 'damaged';
  const countTokens = (text: string): number => wordsOf(text).length + SPECIAL_TOKENS;

  const wakeUp = (): void => {
    for (const wake of [...waiting]) wake();
  };
  const untilAwake = async (signal: AbortSignal | undefined): Promise<void> => {
    while (behaviour === 'stalled' && !isClosed) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
      throwIfCancelled(signal);
    }
  };
  const throwIfUnable = (): void => {
    if (isClosed || behaviour === 'failing') throw new CairnError('embedder_failed', 'The embedding worker stopped.');
    if (behaviour === 'missing') throw new CairnError('embedder_missing', 'The model weights are not installed.');
    if (behaviour === 'damaged') throw new CairnError('embedder_damaged', 'The model weights were refused.');
  };
  const embedOne = (text: string): EmbeddedText => {
    embedded.push(text);
    return { vector: toVector(text), tokens: Math.min(MAX_TOKENS, countTokens(text)), unknownShare: 0 };
  };
  const STATES: Readonly<Record<FakeBehaviour, EmbedderState>> = {
    ready: 'ready',
    stalled: 'warming',
    failing: 'failed',
    missing: 'missing',
    damaged: 'damaged',
  };

  return {
    space: () => (hasWeights() ? space : undefined),
    state: () => STATES[behaviour],
    warm: () => undefined,
    async embed(texts, { signal }) {
      throwIfCancelled(signal);
      if (texts.length === 0) return [];
      await untilAwake(signal);
      throwIfUnable();
      return texts.map(embedOne);
    },
    countTokens: (text) => (hasWeights() ? countTokens(text) : undefined),
    async close() {
      isClosed = true;
      wakeUp();
    },
    behave(next) {
      behaviour = next;
      wakeUp();
    },
    embedded,
  };
}
