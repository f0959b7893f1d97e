import { describe, expect, it } from 'vitest';
import { hardTokens, informativeStems, polarity } from '../../src/text/index.ts';

function sameHard(a: string, b: string): boolean {
  return [...hardTokens(a)].sort().join('\n') === [...hardTokens(b)].sort().join('\n');
}

describe('hardTokens', () => {
  it.each([
    ['versions', 'Pin vitest to v4.1.8 in CI', 'Pin vitest to v4.1.9 in CI'],
    ['paths', 'The loader in src/a/load.ts is cached', 'The loader in src/b/load.ts is cached'],
    ['numbers', 'Raise the limit to 30 seconds', 'Raise the limit to 60 seconds'],
    ['flags', 'Run it with --force once', 'Run it with --dry-run once'],
    ['one-letter flags', 'call grep -v there', 'call grep -V there'],
    ['identifiers', 'parseDuration throws', 'parseDate throws'],
    ['codes', 'It ends with ENOENT', 'It ends with EACCES'],
    ['quoted strings', 'The header says "no-store" there', 'The header says "no-cache" there'],
    ['negation', 'Enable the cache', 'Do not enable the cache'],
    ['percentages', 'about 5% of calls', 'about 50% of calls'],
  ])('M82: tells two texts apart that differ in %s', (_, a, b) => {
    expect(sameHard(a, b)).toBe(false);
  });

  it.each([
    ["Don't enable the cache", 'Do not enable the cache'],
    ['We can’t reach it', 'We cannot reach it'],
    ['use v4.1.8 here', 'use 4.1.8 here'],
    ['the cache is warm', 'The Cache Is Warm'],
    ['ERROR-FIX: Widget broke | FIX: turn it | SOURCE: docs/a.md', 'Widget broke turn it docs/a.md'],
  ])('M82: sees nothing hard between %j and %j', (a, b) => {
    expect(sameHard(a, b)).toBe(true);
  });

  it('holds the key of a strong signature', () => {
    const tokens = [...hardTokens("TypeError: Cannot read properties of undefined (reading 'map')")];
    expect(tokens.some((token) => token.startsWith('key:'))).toBe(true);
  });
});

describe('informativeStems', () => {
  it.each([
    ['increase the timeout', 'decrease the timeout'],
    ['restart before the deploy', 'restart after the deploy'],
    ['use it in staging', 'use it in production'],
    ['turn the flag on', 'turn the flag off'],
    ['copy from staging to production', 'copy from production to staging'],
    ['run migrations first, then restart', 'restart first, then run migrations'],
    ['wait until it answers', 'wait while it answers'],
    ['enable it with the proxy', 'enable it without the proxy'],
  ])('M82: %j and %j differ in a stem or in order', (a, b) => {
    expect(informativeStems(a)).not.toEqual(informativeStems(b));
  });

  it('drops fillers, keeps order and normalises negations', () => {
    expect(informativeStems("Don't restart the workers before it is done")).toEqual([
      'not',
      'restart',
      'worker',
      'befor',
      'done',
    ]);
    expect(informativeStems('Call parseDuration of src/x.ts')).toEqual(['call', 'parseduration', 'src', 'x.ts']);
  });
});

describe('polarity', () => {
  it.each([
    ['do not enable it', ['not']],
    ["it doesn't, never, without", ['not', 'never', 'without']],
    ['kein Cache ohne TTL', ['kein', 'ohne']],
    ['不要启用缓存', ['不']],
    ['enable it', []],
    ['the knot in notation', []],
  ])('of %j', (text, expected) => {
    expect(polarity(text)).toEqual(expected);
  });

  it('names negations as stems and hard tokens name them', () => {
    const text = "It isn't cached without a key";
    for (const negation of polarity(text)) {
      expect(informativeStems(text)).toContain(negation);
      expect(hardTokens(text).has(negation)).toBe(true);
    }
  });
});
