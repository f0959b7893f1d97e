import { describe, expect, it } from 'vitest';
import * as protocol from '../../src/protocol/index.ts';
import * as text from '../../src/text/index.ts';

const MEGABYTE = 1_000_000;

/** What makes careless patterns slow: long runs of what they repeat, without what they end with. */
const UNITS = [
  'a',
  ' ',
  '\n',
  '\\',
  '/',
  '.',
  "'",
  '"',
  '`',
  '1',
  '1.',
  '1,',
  'a1',
  'aB',
  'a_',
  'a-',
  'a::',
  'A',
  '(',
  '[',
  '<',
  '#',
  '*',
  '-',
  '|',
  '=',
  ':',
  '--- ',
  '\x1b[',
  '\x1b]',
  '\u200d',
  '\ufe0f',
  '\u0301\u0323',
  '👩‍💻',
  '编辑',
  '&amp;',
  'eyJ',
  'sk-',
  'password=',
  'token:"',
  '://a:',
  'authorization: ',
  '-----BEGIN PRIVATE KEY-----',
  'Error: ',
  'A.',
  'command failed ',
  'Caused by: x\n',
  'Traceback (most recent call last)\n',
  ' | FIX: ',
  ' | SOURCE: x ',
  'Context: ',
  '```\n',
  '## ',
  '<finding ',
  'a@',
  '0x',
  '12:34:56 ',
  '/a',
  'C:\\',
  'QUJDREVG',
  'line 1 ',
];

const FUNCTIONS: Readonly<Record<string, (input: string) => unknown>> = {
  cleanText: text.cleanText,
  collapseWhitespace: text.collapseWhitespace,
  concreteTokens: text.concreteTokens,
  countWords: text.countWords,
  cutAtWord: (input) => text.cutAtWord(input, input.length - 9, { ellipsis: true }),
  hardTokens: text.hardTokens,
  informativeStems: text.informativeStems,
  isOnlySecret: text.isOnlySecret,
  latinShare: text.latinShare,
  normaliseForIdentity: text.normaliseForIdentity,
  pickSignature: text.pickSignature,
  polarity: text.polarity,
  redactSecrets: text.redactSecrets,
  reduceDiff: (input) => text.reduceDiff(`diff --git a/x b/x\n+${input}`),
  signatureKeys: text.signatureKeys,
  tokenise: text.tokenise,
  categoriseFile: protocol.categoriseFile,
  checkQualityGates: (content) => protocol.checkQualityGates({ content }),
  extractQuery: (input) => protocol.extractQuery({ workflow: protocol.WORKFLOWS.plan, text: `---\n${input}` }),
  looksLikeRecalledBlock: (input) => protocol.looksLikeRecalledBlock(`<reflexion_context>${input}`),
  parseErrorFix: (input) => protocol.parseErrorFix(`ERROR-FIX: a${input}`),
  parseLabelledParts: protocol.parseLabelledParts,
  renderBlock: (input) => protocol.renderBlock({ workflow: 'other', findings: [{ text: input, score: 1 }] }),
  renderErrorFix: (input) =>
    protocol.renderErrorFix({ signature: input, fix: input, sourcePath: input, summary: input }),
};

/** Growing an input 16 times may cost 16 times as much, not 256 times. Slow by chance is asked again, twice. */
function isLinear(run: (input: string) => unknown, unit: string): boolean {
  const whole = unit.repeat(Math.ceil(64_000 / unit.length));
  const part = whole.slice(0, 4_000);
  run(part);
  return [1, 2, 3].some(() => {
    const small = timeOf(() => run(part));
    const large = timeOf(() => run(whole));
    return large < 500 || large < 90 * small;
  });
}

function timeOf(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

describe('time grows with the length of the text', () => {
  it.each(Object.entries(FUNCTIONS))('%s', (_, run) => {
    expect(UNITS.filter((unit) => !isLinear(run, unit))).toEqual([]);
  });

  it('a megabyte passes through what every write and every recall does', () => {
    for (const unit of ['a', ' ', "'a ", '/a', '1.', 'password=']) {
      const input = unit.repeat(MEGABYTE / unit.length);
      const start = performance.now();
      text.redactSecrets(text.cleanText(input).text);
      text.pickSignature(input);
      text.tokenise(input);
      expect(performance.now() - start, unit).toBeLessThan(10_000);
    }
  }, 60_000);
});
