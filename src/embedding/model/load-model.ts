import { closeSync, readFileSync } from 'node:fs';
import { sha256 } from '../../kernel/index.ts';
import { MINILM_WASM } from '../generated/kernels.ts';
import { parseVocabulary, type Vocabulary } from '../tokenizer/vocabulary.ts';
import { createTokenizer, type Tokenizer } from '../tokenizer/word-piece.ts';
import { damaged, missing, openForReading, readHeader } from '../weights/header.ts';
import { SHAPE } from '../weights/layout.ts';
import type { WeightsLocation } from '../weights/location.ts';
import { identify, isRemembered, remember, verifyContents } from '../weights/verify.ts';
import { createEncoder, type Encoder } from './encoder.ts';
import { runSelfTest } from './self-test.ts';

export interface Model {
  readonly tokenizer: Tokenizer;
  readonly encoder: Encoder;
  /** Closes the weights file; the encoder is of no use afterwards. */
  close(): void;
}

/** Reads and checks the vocabulary; about 10 ms. Errors: `embedder_missing`, `embedder_damaged`. */
export function loadTokenizer(location: WeightsLocation): Tokenizer {
  let text: string;
  try {
    text = readFileSync(location.vocabulary, 'utf8');
  } catch (error) {
    throw missing(location.vocabulary, error);
  }
  if (sha256(text) !== location.vocabularySha256)
    throw damaged(location.vocabulary, 'its checksum differs from the published one');
  return createTokenizer(checkedVocabulary(text, location.vocabulary));
}

function checkedVocabulary(text: string, path: string): Vocabulary {
  const vocabulary = parseVocabulary(text);
  if (vocabulary.size !== SHAPE.vocabulary)
    throw damaged(path, `it has ${vocabulary.size} pieces instead of ${SHAPE.vocabulary}`);
  return vocabulary;
}

/**
 * Loads the model in this thread: about 20 ms and 20 MB. The first time that a file is seen (by path, size,
 * modification time, kernel) its checksum and the self-test run too, 30 to 80 ms; `cacheDirectory` remembers that.
 * Errors: `embedder_missing`, `embedder_damaged`.
 */
export function loadModel(location: WeightsLocation, cacheDirectory?: string): Model {
  const descriptor = openForReading(location.weights);
  try {
    const header = readHeader(descriptor, location.weights);
    const file = identify(descriptor, location, sha256(MINILM_WASM));
    const isKnown = isRemembered(file, cacheDirectory);
    if (!isKnown) verifyContents(descriptor, location);
    const tokenizer = loadTokenizer(location);
    const encoder = createEncoder(descriptor, header, location.weights);
    if (!isKnown) {
      runSelfTest(encoder, header, location.weights);
      remember(file, cacheDirectory);
    }
    return { tokenizer, encoder, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
