import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countInBag, hashTerm, makeBag, sharedTerms } from '../../src/memory/bag.ts';

const terms = fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 80 });

it('counts every term that went in, up to 15', () => {
  fc.assert(
    fc.property(terms, (list) => {
      const bag = makeBag(list.map((term) => ({ term, kind: 'word' })));
      for (const term of list) {
        const equal = list.filter((other) => hashTerm(other) === hashTerm(term)).length;
        expect(countInBag(bag, hashTerm(term))).toBe(Math.min(15, equal));
      }
    }),
  );
});

it('finds no term in an empty bag, and takes three bytes a term', () => {
  expect(countInBag(makeBag([]), hashTerm('anything'))).toBe(0);
  expect(
    makeBag([
      { term: 'one', kind: 'word' },
      { term: 'two', kind: 'word' },
      { term: 'one', kind: 'word' },
    ]),
  ).toHaveLength(6);
});

it('spreads hashes: 5,000 words share fewer than 30', () => {
  const hashes = new Set(Array.from({ length: 5_000 }, (_, i) => hashTerm(`term${i}`)));
  expect(hashes.size).toBeGreaterThan(4_970);
});

it('shares of equal and of foreign bags', () => {
  const bagOf = (...words: string[]) => makeBag(words.map((term) => ({ term, kind: 'word' })));
  expect(sharedTerms(bagOf('one', 'two', 'two'), bagOf('two', 'one'))).toBe(1);
  expect(sharedTerms(bagOf('one', 'two', 'three'), bagOf('three', 'four', 'five'))).toBeCloseTo(1 / 5);
  expect(sharedTerms(bagOf(), bagOf())).toBe(0);
});
