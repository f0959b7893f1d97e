import { closeSync, existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { location } from 'cairn-minilm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEncoder, type Encoder } from '../../src/embedding/model/encoder.ts';
import { loadTokenizer } from '../../src/embedding/model/load-model.ts';
import { openForReading, readHeader } from '../../src/embedding/weights/header.ts';

interface Recorded {
  readonly text: string;
  readonly tokens: number;
  readonly vector: readonly number[];
}

const recorded = JSON.parse(readFileSync(new URL('fixtures/reference.json', import.meta.url), 'utf8')) as Recorded[];
const tokenizer = loadTokenizer(location);
const idsOf = (text: string): readonly number[] => tokenizer.encode(text, 256).ids;
let descriptor: number;
let encoder: Encoder;

beforeAll(() => {
  descriptor = openForReading(location.weights);
  encoder = createEncoder(descriptor, readHeader(descriptor, location.weights), location.weights);
});
afterAll(() => closeSync(descriptor));

const STSB = new URL('../../../shared/bench/stsb/sts-test.csv.gz', import.meta.url);
const PAIR_COSINES = new URL('../../../shared/models/all-MiniLM-L6-v2/reference.json', import.meta.url);

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] ?? 0) * (b[i] ?? 0);
    aa += (a[i] ?? 0) ** 2;
    bb += (b[i] ?? 0) ** 2;
  }
  return dot / Math.sqrt(aa * bb);
}

describe('the encoder', () => {
  it('agrees with the full-precision vectors: cosine at least .998 each, .999 on average', () => {
    const cosines = recorded.map(({ text, tokens, vector }) => {
      const ids = idsOf(text);
      expect(ids).toHaveLength(tokens);
      return cosine(encoder.encode([ids])[0] ?? [], vector);
    });
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.998);
    expect(cosines.reduce((sum, value) => sum + value, 0) / cosines.length).toBeGreaterThanOrEqual(0.999);
  });

  it('keeps the cosines of STS-B pairs within .01 of those of the full-precision model', (context) => {
    context.skip(
      !existsSync(STSB) || !existsSync(PAIR_COSINES),
      'the STS benchmark and its full-precision cosines are not at hand',
    );
    const lines = gunzipSync(readFileSync(STSB)).toString('utf8').trim().split('\n');
    const { stsb_test_cosines: exact } = JSON.parse(readFileSync(PAIR_COSINES, 'utf8')) as {
      stsb_test_cosines: number[];
    };
    // Every eighth pair; the benchmark measures all.
    for (let i = 0; i < lines.length; i += 8) {
      const [first, second] = (lines[i] ?? '')
        .split('\t')
        .slice(5, 7)
        .map((text) => encoder.encode([idsOf(text)])[0] ?? []);
      expect(
        Math.abs(cosine(first ?? [], second ?? []) - (exact[i] ?? Number.NaN)),
        lines[i] ?? '',
      ).toBeLessThanOrEqual(0.01);
    }
  });

  it('gives each text the same bits alone and in any company', () => {
    // Lengths that leave 0 to 3 rows over a panel of four, and cross the chunk of 64.
    const texts = [1, 2, 3, 4, 5, 7, 30, 61].map((words) =>
      idsOf(`${'stone '.repeat(words)}cairn`).slice(0, words + 2),
    );
    const alone = texts.map((ids) => encoder.encode([ids])[0]);
    expect(encoder.encode(texts)).toEqual(alone);
    expect(encoder.encode([...texts].reverse())).toEqual([...alone].reverse());
    for (let i = 0; i + 1 < texts.length; i++) {
      expect(encoder.encode([texts[i] ?? [], texts[i + 1] ?? []])).toEqual([alone[i], alone[i + 1]]);
    }
  });

  it('takes a full pass and refuses what does not fit', () => {
    const full = idsOf('word '.repeat(300));
    expect(full).toHaveLength(256);
    expect(encoder.encode([full])).toHaveLength(1);
    expect(() => encoder.encode([full, [101, 102]])).toThrow('256 tokens');
    expect(() => encoder.encode([[]])).toThrow('no empty text');
    expect(() => encoder.encode([[101, 99_999, 102]])).toThrow('99999');
  });
});
