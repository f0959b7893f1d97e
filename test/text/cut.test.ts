import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChars } from '../../src/kernel/index.ts';
import { cutAtWord } from '../../src/text/index.ts';

describe('cutAtWord', () => {
  it('leaves a text within the limit unchanged', () => {
    expect(cutAtWord('two words ', 10)).toBe('two words ');
  });

  it('cuts at the last white space at or before the limit', () => {
    expect(cutAtWord('alpha beta gamma', 10)).toBe('alpha beta');
    expect(cutAtWord('alpha beta gamma', 12)).toBe('alpha beta');
    expect(cutAtWord('alpha beta gamma', 9)).toBe('alpha');
  });

  it('counts the ellipsis as one of the characters', () => {
    expect(cutAtWord('alpha beta gamma', 11, { ellipsis: true })).toBe('alpha beta…');
    expect(cutAtWord('alpha beta gamma', 10, { ellipsis: true })).toBe('alpha…');
    expect(cutAtWord('abc', 1, { ellipsis: true })).toBe('…');
    expect(cutAtWord('abc', 0, { ellipsis: true })).toBe('');
  });

  it('takes a white space 80 characters back, and none farther away', () => {
    expect(cutAtWord(`ab ${'x'.repeat(200)}`, 82)).toBe('ab');
    expect(cutAtWord(`ab ${'x'.repeat(200)}`, 90)).toBe(`ab ${'x'.repeat(87)}`);
  });

  it('M10: cuts letters and emoji without white space at a grapheme boundary', () => {
    const text = 'ab👩‍💻é'.repeat(200);
    const cut = cutAtWord(text, 800, { ellipsis: true });
    expect(countChars(cut)).toBeLessThanOrEqual(800);
    expect(countChars(cut)).toBeGreaterThan(790);
    const kept = cut.slice(0, -1);
    const ends = new Set<number>();
    for (const { index } of new Intl.Segmenter('en').segment(text)) ends.add(index);
    expect(text.startsWith(kept)).toBe(true);
    expect(ends.has(kept.length)).toBe(true);
    expect(/\p{Surrogate}/u.test(cut)).toBe(false);
  });

  it('never exceeds the limit, never splits a surrogate pair, and keeps the beginning', () => {
    const unit = fc.constantFrom('a', ' ', '\n', '👩‍💻', '🇩🇪', 'é', 'e\u0301', '字', '𝒳');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 400 }), fc.nat(300), fc.boolean(), (units, limit, ellipsis) => {
        const text = units.join('');
        const cut = cutAtWord(text, limit, { ellipsis });
        expect(countChars(cut)).toBeLessThanOrEqual(Math.max(limit, countChars(text) <= limit ? countChars(text) : 0));
        expect(/\p{Surrogate}/u.test(cut)).toBe(false);
        if (cut !== text) expect(text.startsWith(ellipsis && limit > 0 ? cut.slice(0, -1) : cut)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
