import { describe, expect, it } from 'vitest';
import { checkQualityGates, parseLabelledParts } from '../../src/protocol/index.ts';

const PARTS = {
  context: 'Built the loader in src/load.ts for workers',
  insight: 'The cache failed because keys held the time',
  action: 'Run npm test after each change',
};

describe('quality gates of a learning', () => {
  it('M37: 19 words fail by length, 20 pass', () => {
    const words = Object.values(PARTS).join(' ').split(' ').length;
    expect(words).toBeGreaterThanOrEqual(20);
    const pad = (action: string): typeof PARTS => ({
      context: 'Built the loader in src/load.ts now',
      insight: 'The cache failed because of keys',
      action,
    });
    const nineteen = checkQualityGates(pad('Run npm test after each change'));
    expect(nineteen).toMatchObject({ passed: false, missing: ['length'] });
    expect(nineteen.words).toBe(19);
    const twenty = checkQualityGates(pad('Run npm test after each small change'));
    expect(twenty).toEqual({ passed: true, missing: [], words: 20 });
  });

  it('M37: no action is named', () => {
    const { action: _, ...rest } = PARTS;
    expect(
      checkQualityGates({ ...rest, insight: `${PARTS.insight} and nobody looked at them for days` }).missing,
    ).toEqual(['action']);
  });

  it('M37: 25 vague words miss specificity; with a file and a command they pass', () => {
    const vague = {
      context: 'Fixed a bug in the old part of the code',
      insight: 'It was caused by something that had been overlooked before',
      action: 'Look more carefully at it next time',
    };
    expect(checkQualityGates(vague)).toMatchObject({ passed: false, missing: ['specificity'] });
    const specific = { ...vague, context: 'Fixed CRLF in hooks.sh', action: "Run `sed -i 's/\\r$//'` on it next time" };
    expect(checkQualityGates({ ...specific, insight: `${vague.insight} by everyone on the team` })).toMatchObject({
      passed: true,
    });
  });

  it('M38: 60 lines of tool output fail by structure', () => {
    const output = Array.from({ length: 60 }, (_, i) => `[12:00:${i}] PASS test/unit/case-${i}.test.ts (${i} ms)`).join(
      '\n',
    );
    const report = checkQualityGates({ content: output });
    expect(report.passed).toBe(false);
    expect(report.missing).toEqual(['context', 'insight', 'action']);
  });

  it('accepts the parts as labels of a text', () => {
    const content = `Context: ${PARTS.context}.\nInsight: ${PARTS.insight}.\nAction: ${PARTS.action}.`;
    expect(checkQualityGates({ content })).toMatchObject({ passed: true, missing: [] });
  });
});

describe('specificity', () => {
  const base = { context: 'We changed how the service starts up', insight: 'The old way was slow for large teams' };
  it.each([
    'Look into src/load/cache.ts first',
    'Look into the Dockerfile first of all',
    'Run `make check` before you push',
    'Run git rebase before you push',
    'Call parseDuration for these values instead',
    'Set max_old_space_size to something larger',
    'Use std::move for these values instead',
    'Call cache.clear() for these values instead',
    'Pass --no-cache when you build it',
    'Stay below v4.1.9 for the moment',
    'Expect TS2345 when the types change',
    'Expect "cannot find module" when paths change',
    'Expect ENOENT when the folder is gone',
  ])('is seen in: %s', (action) => {
    expect(checkQualityGates({ ...base, action }).missing).not.toContain('specificity');
  });

  it.each([
    'Look more carefully at the code next time',
    'Ask someone on GitHub or use TypeScript instead',
    'Prefer well-known end-to-end solutions, e.g. caching',
    'Wait 5 minutes and make sure it works',
  ])('is missed in: %s', (action) => {
    expect(checkQualityGates({ ...base, action }).missing).toContain('specificity');
  });
});

describe('quality gates of an error-fix entry', () => {
  it('M39: twelve words in all are enough', () => {
    const errorFix = {
      signature: "TypeError: Cannot read 'map'",
      fix: 'Guard the list before rendering it in the view',
    };
    expect(checkQualityGates({ errorFix })).toMatchObject({ passed: true, missing: [] });
  });

  it.each([
    [{ signature: 'Error: failed', fix: 'restart the whole service' }, ['signature']],
    [{ signature: 'E1', fix: 'restart the whole service' }, ['signature']],
    [{ signature: 'TS2345: not assignable', fix: 'fix it' }, ['fix']],
  ])('refuses %j', (errorFix, missing) => {
    expect(checkQualityGates({ errorFix }).missing).toEqual(missing);
  });
});

describe('parseLabelledParts', () => {
  const expected = { context: 'built x', insight: 'y failed', action: 'do z' };
  it.each([
    ['colons', 'Context: built x\nInsight: y failed\nAction: do z'],
    ['one line', 'Context: built x Insight: y failed Action: do z'],
    ['bold', '**Context**: built x\n**Insight:** y failed\n**Action** do z'],
    ['headings', '## Context\nbuilt x\n\n## Insight\n\ny failed\n### Action:\ndo z\n'],
    ['a list', '- Context: built x\n- **Insight**: y failed\n* ACTION: do z'],
    ['another case', 'context: built x\nINSIGHT: y failed\naction: do z'],
    ['another order', 'Action: do z\nContext: built x\nInsight: y failed'],
  ])('reads %s', (_, text) => {
    expect(parseLabelledParts(text)).toEqual(expected);
  });

  it('reads no label inside prose', () => {
    expect(parseLabelledParts('In this context: nothing. The insight is that an action: may help.')).toEqual({});
  });
});
