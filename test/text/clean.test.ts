import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, collapseWhitespace } from '../../src/text/index.ts';

describe('cleanText', () => {
  it.each([
    ['a bidi override', 'user\u202etxt.exe', 'usertxt.exe', 1],
    ['zero-width characters', 'pass\u200bword\u2060\ufeff', 'password', 3],
    ['tag characters', 'ok\u{e0068}\u{e0069}', 'ok', 2],
    ['colours', '\x1b[31mred\x1b[0m', 'red', 2],
    ['a hyperlink of the terminal', '\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\', 'text', 2],
    ['a sequence that never ends', '\x1b]0;title', '0;title', 1],
    ['NUL and other controls', 'a\0b\x07c\x7fd\x85e', 'abcde', 4],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb', 1],
    ['a soft hyphen', 'de\u00adploy', 'deploy', 1],
    ['a noncharacter', 'a\uffffb\u{1fffe}c', 'abc', 2],
    ['a joiner between Latin letters', 'a\u200db', 'ab', 1],
    ['a second variation selector', '❤\ufe0f\ufe01', '❤\ufe0f', 1],
  ])('M111: takes out %s and counts it', (_, text, expected, removed) => {
    expect(cleanText(text)).toEqual({ text: expected, removed });
  });

  it.each([
    ['emoji with joiners', '👩‍💻 👨‍👩‍👧 🏳️‍🌈 ❤️ 👍🏽'],
    ['Persian', 'می‌خواهم'],
    ['Hindi', 'क्‍ष'],
    ['line feeds and tabs', 'a\n\tb'],
    ['ordinary punctuation', 'a — “b” … ça'],
  ])('M111: leaves %s alone', (_, text) => {
    expect(cleanText(text)).toEqual({ text, removed: 0 });
  });

  it('composes to NFC and turns every line end into LF without counting it', () => {
    expect(cleanText('e\u0301\r\nx\ry')).toEqual({ text: 'é\nx\ny', removed: 0 });
  });

  it('keeps at most 30 marks on a character', () => {
    const cleaned = cleanText(`x${'\u0323'.repeat(500)}y`);
    expect(cleaned.removed).toBe(470);
    expect(cleaned.text.endsWith('y')).toBe(true);
  });

  it('changes nothing the second time, whatever the text', () => {
    const nasty = fc.constantFrom(
      '\u200d',
      '\ufe0f',
      '\u202e',
      '\x1b[',
      '\x1b',
      '\ud83d',
      '\udc69',
      '👩',
      '💻',
      'e',
      '\u0301',
      'क',
      '\u094d',
      '\u200c',
      '\r',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(nasty).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const once = cleanText(text);
          expect(cleanText(once.text)).toEqual({ text: once.text, removed: 0 });
          expect(once.text.isWellFormed?.() ?? true).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('collapseWhitespace', () => {
  it('leaves single spaces and none at the ends', () => {
    expect(collapseWhitespace('  a\n\t b\u2003c ')).toBe('a b c');
  });
});
