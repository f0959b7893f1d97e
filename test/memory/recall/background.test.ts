import { describe, expect, it } from 'vitest';
import { backgroundShare } from '../../../src/memory/recall/background.ts';
import { BACKGROUND_PASSAGES, BACKGROUND_TERMS } from '../../../src/memory/recall/generated/term-background.ts';

describe('background of terms', () => {
  const lines = BACKGROUND_TERMS.trimEnd().split('\n');

  it('finds every term of its table and nothing else', () => {
    for (const line of lines) {
      const [term = '', count] = line.split(' ');
      expect(backgroundShare(term), term).toBe(Number(count) / BACKGROUND_PASSAGES);
    }
    for (const term of ['', ' ', '\n', 'a', 'zzzz', 'hadoopx', 'file 3', 'filf']) expect(backgroundShare(term)).toBe(0);
  });

  it('is sorted, holds plain stems and counts alone, and is small', () => {
    expect(lines).toEqual([...lines].sort());
    for (const line of lines) expect(line).toMatch(/^[a-z]{2,24} \d+$/);
    expect(BACKGROUND_TERMS.length).toBeLessThan(60_000);
  });
});
