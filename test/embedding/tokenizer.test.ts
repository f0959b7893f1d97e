import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Tokenizer as ReferenceTokenizer } from '@huggingface/tokenizers';
import { location } from 'cairn-minilm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVocabulary } from '../../src/embedding/tokenizer/vocabulary.ts';
import { createTokenizer } from '../../src/embedding/tokenizer/word-piece.ts';

const vocabularyText = readFileSync(location.vocabulary, 'utf8');
const tokenizer = createTokenizer(parseVocabulary(vocabularyText));
const recorded = JSON.parse(readFileSync(new URL('fixtures/tokens.json', import.meta.url), 'utf8')) as {
  text: string;
  ids: number[];
}[];
const STSB = new URL('../../../shared/bench/stsb/', import.meta.url);

/** The published tokenizer's settings over the same vocabulary, without its cut and padding. */
function createReference(): ReferenceTokenizer {
  const pieces = vocabularyText.trimEnd().split('\n');
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  const template = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const configuration = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: pieces.indexOf(content),
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [template('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, template('[SEP]')],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [101], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [102], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  };
  return new ReferenceTokenizer(configuration, {});
}

const reference = createReference();

/**
 * Where the JavaScript port itself leaves the original, which lower-cases character by character and knows ideographs
 * beyond the first plane: final sigma, and code points above U+FFFF that are ideographs.
 */
function isFaithful(text: string): boolean {
  return !/[Σς]|[\u{20000}-\u{3ffff}]/u.test(text);
}

describe('WordPiece', () => {
  it('gives the recorded ids of the original tokenizer for every line, Unicode trouble included', () => {
    expect(recorded.length).toBeGreaterThan(15);
    for (const { text, ids } of recorded) expect(tokenizer.encode(text, 256).ids, text.slice(0, 60)).toEqual(ids);
  });

  it('equals the published tokenizer on any Unicode text', () => {
    const fragment = fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'the ',
          'Unaffable',
          'naïve',
          '[SEP]',
          '##s',
          "don't",
          'x_y',
          '北京',
          '\t',
          '\u0000',
          '\u00ad',
          '\u2028',
          'İ',
          'ﬁ',
          '\u0301',
          '…',
        ),
      },
    );
    const text = fc
      .array(fragment, { maxLength: 12 })
      .map((parts) => parts.join(''))
      .filter(isFaithful);
    fc.assert(
      fc.property(text, (input) => {
        expect(tokenizer.encode(input, 100_000).ids).toEqual(reference.encode(input).ids);
      }),
      { numRuns: 2_000 },
    );
  });

  it('sets ideographs of the second plane apart and knows no final sigma, as the original does', () => {
    expect(tokenizer.encode('a\u{20001}b', 256).ids).toEqual([101, 1037, 100, 1038, 102]);
    expect(tokenizer.encode('ΑΣ', 256).ids).toEqual(tokenizer.encode('ασ', 256).ids);
  });

  it('cuts at the limit and keeps the closing token', () => {
    const { ids } = tokenizer.encode('word '.repeat(1_000), 256);
    expect(ids).toHaveLength(256);
    expect(ids.at(-1)).toBe(102);
    expect(tokenizer.count('word '.repeat(1_000))).toBe(1_002);
  });

  it('says how many of the tokens are unknown', () => {
    expect(tokenizer.encode('数据库', 256).unknownShare).toBe(1);
    expect(tokenizer.encode('plain words 数据', 256).unknownShare).toBe(0.5);
    expect(tokenizer.encode('', 256).unknownShare).toBe(0);
  });

  it('equals the published tokenizer on all STS-B sentences', (context) => {
    context.skip(!existsSync(STSB), 'the STS benchmark is not at hand');
    const lines = ['sts-dev.csv.gz', 'sts-test.csv.gz'].flatMap((file) =>
      gunzipSync(readFileSync(new URL(file, STSB)))
        .toString('utf8')
        .trim()
        .split('\n'),
    );
    const sentences = lines.flatMap((line) => line.split('\t').slice(5, 7));
    expect(sentences.length).toBeGreaterThan(5_000);
    for (const sentence of sentences)
      expect(tokenizer.encode(sentence, 512).ids, sentence).toEqual(reference.encode(sentence).ids);
  });
});

describe('the vocabulary', () => {
  it('is refused without its special tokens', () => {
    expect(() => parseVocabulary('one\ntwo\n')).toThrow('[UNK]');
  });
});
