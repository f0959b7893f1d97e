import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChars } from '../../src/kernel/index.ts';
import { type ErrorFixRecord, fitErrorFix, parseErrorFix, renderErrorFix } from '../../src/protocol/index.ts';

const NASTY = [
  '|',
  '| FIX:',
  '| SOURCE:',
  '|FIX:',
  ' | FIX: x',
  ' | SOURCE: a/b.md',
  '\\',
  '\\\\',
  '\\|',
  'ERROR-FIX:',
  'ERROR-FIX\\:',
  '—',
  '–',
  '--',
  '-',
  'a',
  'bc',
  'é',
  '漢',
  '👩‍💻',
  'FIX:',
  'SOURCE:',
  'fix:',
  'x/y.md',
  ':',
  ' ',
];

function field(maxParts: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...NASTY), { minLength: 1, maxLength: maxParts })
    .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '');
}

const path = field(10)
  .map((tail) => `docs/${tail}`)
  .filter((text) => countChars(text) <= 400);

const record: fc.Arbitrary<ErrorFixRecord> = fc.oneof(
  fc.record({ signature: field(14), fix: field(14) }),
  fc.record({ signature: field(14), fix: field(14), sourcePath: path }),
  fc.record({ signature: field(14), fix: field(14), sourcePath: path, summary: field(8) }),
);

describe('the one-line form', () => {
  it('M86: parse(render(x)) = x for 10,000 records full of separators', () => {
    fc.assert(
      fc.property(record, (given) => {
        fc.pre(
          countChars(given.signature) <= 300 && countChars(given.fix) <= 400 && countChars(given.summary ?? '') <= 160,
        );
        expect(parseErrorFix(renderErrorFix(given))).toEqual({ records: [given], warnings: [], unparsed: [] });
      }),
      { numRuns: 10_000 },
    );
  });

  it('M86: has the published form and escapes', () => {
    expect(renderErrorFix({ signature: 'E1: x', fix: 'do y', sourcePath: 'docs/a.md', summary: 'z' })).toBe(
      'ERROR-FIX: E1: x | FIX: do y | SOURCE: docs/a.md — z',
    );
    expect(renderErrorFix({ signature: 'E1: x', fix: 'do y' })).toBe('ERROR-FIX: E1: x | FIX: do y');
    expect(renderErrorFix({ signature: 'a | FIX: b', fix: 'c\n d \\| SOURCE: e' })).toBe(
      'ERROR-FIX: a \\| FIX: b | FIX: c d \\\\\\| SOURCE: e',
    );
    expect(renderErrorFix({ signature: 'ERROR-FIX: a', fix: 'b c d', sourcePath: 'docs/a — b.md' })).toBe(
      'ERROR-FIX: ERROR-FIX\\: a | FIX: b c d | SOURCE: docs/a \\— b.md',
    );
  });

  it('cuts fields at words to 300, 400 and 160 characters', () => {
    const long = 'word '.repeat(200);
    const parsed = parseErrorFix(renderErrorFix({ signature: long, fix: long, sourcePath: 'docs/a.md', summary: long }))
      .records[0];
    for (const [text, limit] of [
      [parsed?.signature, 300],
      [parsed?.fix, 400],
      [parsed?.summary, 160],
    ] as const) {
      expect(countChars(text ?? '')).toBeLessThanOrEqual(limit);
      expect(countChars(text ?? '')).toBeGreaterThan(limit - 8);
      expect(text).toMatch(/word…$/);
    }
  });

  it.each([
    [
      'a hyphen for the dash',
      'ERROR-FIX: E1 broke | FIX: do y | SOURCE: docs/a.md - it broke',
      { signature: 'E1 broke', fix: 'do y', sourcePath: 'docs/a.md', summary: 'it broke' },
      1,
    ],
    [
      'two hyphens',
      'ERROR-FIX: E1 broke | FIX: do y | SOURCE: docs/a.md -- it broke',
      { signature: 'E1 broke', fix: 'do y', sourcePath: 'docs/a.md', summary: 'it broke' },
      1,
    ],
    [
      'an en dash',
      'ERROR-FIX: E1 broke | FIX: do y | SOURCE: docs/a.md – it broke',
      { signature: 'E1 broke', fix: 'do y', sourcePath: 'docs/a.md', summary: 'it broke' },
      1,
    ],
    ['no source', 'ERROR-FIX: E1 broke | FIX: do y', { signature: 'E1 broke', fix: 'do y' }, 0],
    [
      'no summary',
      'ERROR-FIX: E1 broke | FIX: do y | SOURCE: docs/a.md',
      { signature: 'E1 broke', fix: 'do y', sourcePath: 'docs/a.md' },
      0,
    ],
    [
      'another case',
      'error-fix: E1 broke | fix: do y | source: docs/a.md — z',
      { signature: 'E1 broke', fix: 'do y', sourcePath: 'docs/a.md', summary: 'z' },
      1,
    ],
    [
      'a fix that speaks of a source',
      'ERROR-FIX: E1 broke | FIX: set it | SOURCE: of the value, then retry | SOURCE: docs/a.md — z',
      {
        signature: 'E1 broke',
        fix: 'set it | SOURCE: of the value, then retry',
        sourcePath: 'docs/a.md',
        summary: 'z',
      },
      0,
    ],
    ['a wrapped line', 'ERROR-FIX: E1 broke\n  | FIX: do\n  y', { signature: 'E1 broke', fix: 'do y' }, 0],
  ] as const)('M87: reads old lines: %s', (_, text, expected, warnings) => {
    const parsed = parseErrorFix(text);
    expect(parsed.records).toEqual([expected]);
    expect(parsed.warnings).toHaveLength(warnings);
    expect(parsed.unparsed).toEqual([]);
  });

  it('M87: reads two entries of one text', () => {
    expect(parseErrorFix('ERROR-FIX: E1 a | FIX: b\n\nERROR-FIX: E2 c | FIX: d').records).toEqual([
      { signature: 'E1 a', fix: 'b' },
      { signature: 'E2 c', fix: 'd' },
    ]);
  });

  it('M87: hands back an entry without a fix, beside those that have one', () => {
    const parsed = parseErrorFix('ERROR-FIX: E1 broke and nobody knows why\nERROR-FIX: E2 c | FIX: d');
    expect(parsed.records).toEqual([{ signature: 'E2 c', fix: 'd' }]);
    expect(parsed.unparsed).toEqual(['ERROR-FIX: E1 broke and nobody knows why']);
    expect(parsed.warnings.join()).toContain('error_fix_unparsed');
  });

  it('finds nothing in a text that does not begin with the token', () => {
    expect(parseErrorFix('We saw ERROR-FIX: a | FIX: b')).toEqual({ records: [], warnings: [], unparsed: [] });
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...NASTY, '\n')),
        (parts) => void parseErrorFix(`ERROR-FIX: ${parts.join('')}`),
      ),
    );
  });
});

describe('fitErrorFix', () => {
  it('stays within any limit', () => {
    fc.assert(
      fc.property(record, fc.integer({ min: 1, max: 900 }), (given, limit) => {
        expect(countChars(fitErrorFix(given, limit))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 1_000 },
    );
  });
});
