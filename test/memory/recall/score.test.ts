import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeBag } from '../../../src/memory/bag.ts';
import {
  lexicalEvidence,
  matchedInformation,
  PASSAGE_LENGTH,
  termInformation,
  toLexicalQuery,
} from '../../../src/memory/recall/lexical.ts';
import {
  type Evidence,
  LEAST_INFORMATION,
  LEXICAL_ONLY_MAP,
  mapPiecewise,
  scoreEvidence,
} from '../../../src/memory/recall/score.ts';
import { floorOf, passesFloor } from '../../../src/protocol/index.ts';
import { tokenise } from '../../../src/text/index.ts';

const NOTHING: Evidence = { identical: false, near: 0, lexical: 0 };
const TELLING = 20;

const share = fc.double({ min: 0, max: 1, noNaN: true });

function evidenceOf(query: string, text: string, entries: number, frequency = 1): number {
  const words = toLexicalQuery(
    tokenise(query).map(({ term }) => term),
    entries,
    () => frequency,
  );
  const tokens = tokenise(text);
  return lexicalEvidence(
    words,
    matchedInformation(words, { bag: makeBag(tokens), length: tokens.length, averageLength: PASSAGE_LENGTH }),
  );
}

describe('score', () => {
  it('takes the strongest of identical, signature, near, and words with meaning', () => {
    const dense = { ...NOTHING, dense: 0.6, lexical: 0.3 };
    expect(scoreEvidence({ ...dense, identical: true }, TELLING)).toEqual({ value: 1, match: 'identical' });
    expect(scoreEvidence({ ...dense, signature: 'exact' }, TELLING)).toEqual({ value: 0.95, match: 'signature' });
    expect(scoreEvidence({ ...NOTHING, dense: 0.2, signature: 'core' }, TELLING)).toEqual({
      value: 0.7,
      match: 'signature',
    });
    expect(scoreEvidence({ ...dense, near: 0.91 }, TELLING).value).toBe(0.91);
    expect(scoreEvidence(dense, TELLING)).toEqual({ value: 0.696, match: 'dense' });
    expect(scoreEvidence({ ...NOTHING, dense: 0.1, lexical: 0.5 }, TELLING)).toEqual({ value: 0.46, match: 'lexical' });
  });

  it('M73: an exact signature outweighs any cosine of another entry', () => {
    const signature = scoreEvidence({ ...NOTHING, dense: 0.3, signature: 'exact' }, TELLING);
    const other = scoreEvidence({ ...NOTHING, dense: 0.99, lexical: 0.9 }, TELLING);
    expect(signature.value).toBe(0.95);
    expect(other.value).toBe(0.82);
  });

  it('never lets a mixture pass the duplicate threshold, nor words alone 0.80', () => {
    fc.assert(
      fc.property(share, share, (dense, lexical) => {
        expect(scoreEvidence({ ...NOTHING, dense, lexical }, TELLING).value).toBeLessThanOrEqual(0.82);
        expect(scoreEvidence({ ...NOTHING, lexical }, TELLING).value).toBeLessThanOrEqual(0.8);
      }),
    );
  });

  it('grows with each part of the evidence', () => {
    fc.assert(
      fc.property(share, share, share, (dense, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const of = (lexical: number): number => scoreEvidence({ ...NOTHING, dense, lexical }, TELLING).value;
        expect(of(low)).toBeLessThanOrEqual(of(high));
        expect(mapPiecewise(LEXICAL_ONLY_MAP, low)).toBeLessThanOrEqual(mapPiecewise(LEXICAL_ONLY_MAP, high));
      }),
    );
  });

  it('M71, M72: rounds before it compares; 0.4556 is under 0.5, and only an error query has the lower floor', () => {
    const { value } = scoreEvidence({ ...NOTHING, dense: 0.45561 }, TELLING);
    expect(value).toBe(0.4556);
    expect(passesFloor(value, floorOf(false, 'learning'))).toBe(false);
    expect(passesFloor(scoreEvidence({ ...NOTHING, dense: 0.49996 }, TELLING).value, 0.5)).toBe(true);
    expect(passesFloor(0.45, floorOf(true, 'error_fix'))).toBe(true);
    expect(passesFloor(0.45, floorOf(false, 'error_fix'))).toBe(false);
    expect(passesFloor(0.45, floorOf(true, 'learning'))).toBe(false);
  });

  it('counts a likeness less where the signatures say that it is another error', () => {
    const alike = { ...NOTHING, dense: 0.5, lexical: 0.2 };
    const { value } = scoreEvidence(alike, TELLING);
    expect(scoreEvidence({ ...alike, isOtherError: true }, TELLING).value).toBeCloseTo(0.7 * value, 3);
    expect(scoreEvidence({ ...alike, isOtherError: true, near: 0.9 }, TELLING).value).toBe(0.9);
  });

  it('caps a query that says too little to choose, but not what is certain', () => {
    const strong = { ...NOTHING, dense: 0.7, lexical: 0.6 };
    expect(scoreEvidence(strong, LEAST_INFORMATION - 0.01).value).toBe(0.39);
    expect(scoreEvidence(strong, LEAST_INFORMATION).value).toBeGreaterThan(0.5);
    expect(scoreEvidence({ ...strong, identical: true }, 0).value).toBe(1);
    expect(scoreEvidence({ ...strong, signature: 'exact' }, 0).value).toBe(0.95);
  });
});

describe('lexical evidence', () => {
  it('M76: a word that every twentieth of 1,000 notes has carries too little information to choose by', () => {
    expect(termInformation('zyxterm', 50, 1_000)).toBeLessThan(LEAST_INFORMATION);
    expect(termInformation('git', 50, 1_000)).toBeLessThan(LEAST_INFORMATION);
    expect(termInformation('zyxterm', 2, 1_000)).toBeGreaterThan(LEAST_INFORMATION);
  });

  it('knows common words as common in an empty store', () => {
    expect(termInformation('file', 0, 0)).toBeLessThan(2.5);
    expect(termInformation('advisori', 0, 0)).toBeGreaterThan(5);
  });

  it('gives the same pair of texts the same value within 0.1 in stores of 20 to 2,000 entries', () => {
    const note = 'The advisory lock in the scheduler keeps two replicas from enqueueing the same cron job twice.';
    for (const query of ['advisory lock of the scheduler', 'cron job runs twice on two replicas', 'lock']) {
      const values = [20, 200, 2_000].map((entries) => evidenceOf(query, note, entries, Math.ceil(entries / 100)));
      expect(Math.max(...values) - Math.min(...values)).toBeLessThan(0.1);
    }
  });

  it('is in [0, 1), and 0 without a common word or without words', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (query, text) => {
        const value = evidenceOf(query, text, 100);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(1);
      }),
    );
    expect(evidenceOf('the of and', 'the of and', 100)).toBe(0);
    expect(evidenceOf('violin strings', 'database locks', 100)).toBe(0);
  });

  it('counts words that no entry has against the match', () => {
    const note = 'retry the upload with exponential backoff';
    expect(evidenceOf('upload retry', note, 100)).toBeGreaterThan(evidenceOf('upload retry xylophone', note, 100));
  });
});
