import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords, escapeMarkup, latinShare, normaliseForIdentity } from '../../src/text/index.ts';

describe('countWords', () => {
  it.each([
    ['', 0],
    [' … — !? ', 0],
    ["can't stop 3.14 times", 4],
    ['node-fetch@2.6.7 failed', 4],
    ['(one) "two", three.', 3],
  ])('counts %j as %i', (text, words) => {
    expect(countWords(text)).toBe(words);
  });

  it('agrees with the segmenter on any short text', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ab', "don't", 'x.y', '(z)', '12', '-', '。', '左侧', 'ä')), (words) => {
        const text = words.join(' ');
        const expected = Array.from(segmenter.segment(text)).filter(({ segment }) =>
          /[\p{L}\p{N}]/u.test(segment),
        ).length;
        expect(countWords(text)).toBe(expected);
      }),
    );
  });
});

describe('normaliseForIdentity', () => {
  it('M81: makes case, spacing and compatibility forms equal', () => {
    expect(normaliseForIdentity('  The ﬁx:\n STRASSE\u00a0Σίσυφος ')).toBe(
      normaliseForIdentity('the fix: straße σίσυφοσ'),
    );
    expect(normaliseForIdentity('a b')).not.toBe(normaliseForIdentity('ab'));
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const once = normaliseForIdentity(text);
        expect(normaliseForIdentity(once)).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('escapeMarkup', () => {
  it('escapes the three characters in order and no others', () => {
    expect(escapeMarkup(`<a href="x">&lt;'</a>`)).toBe(`&lt;a href="x"&gt;&amp;lt;'&lt;/a&gt;`);
  });
});

describe('latinShare', () => {
  it.each([
    ['deploy the service', 1],
    ['部署服务', 0],
    ['Die Größe stimmt', 1],
    ['12 + 3 = ?', 1],
    ['ab вг', 0.5],
  ])('of %j is %d', (text, share) => {
    expect(latinShare(text)).toBe(share);
  });
});
