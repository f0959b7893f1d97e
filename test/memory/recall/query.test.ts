import { describe, expect, it } from 'vitest';
import { prepareQuery } from '../../../src/memory/recall/query.ts';

describe('query', () => {
  it('M4: a known prefix is taken off and named, any other bracket is text', () => {
    const prefixed = prepareQuery({ text: '[code-review] flaky date test' });
    expect(prefixed).toMatchObject({ text: 'flaky date test', workflow: { name: 'review' } });
    expect(prepareQuery({ text: 'flaky date test' }).text).toBe(prefixed.text);
    expect(prepareQuery({ text: '[foo] flaky date test' })).toMatchObject({
      text: '[foo] flaky date test',
      workflow: { name: 'other' },
    });
  });

  it('lets an argument outrank the domain, and the domain the prefix', () => {
    expect(prepareQuery({ text: '[code-review] x y', domain: 'ci-failures' }).workflow.name).toBe('ci');
    expect(prepareQuery({ text: '[code-review] x y', domain: 'ci-failures', workflow: 'plan' }).workflow.name).toBe(
      'plan',
    );
    expect(() => prepareQuery({ text: 'x', workflow: 'nonsense' })).toThrowError(/workflow must be one of/);
  });

  it('compares the whole text with and without its prefix, cleaned and without secrets, never cut', () => {
    const long = `note ${'word '.repeat(400)}end`;
    const { drafts, text } = prepareQuery({ text: `[research] ${long}` });
    expect(drafts.map((draft) => draft.text)).toEqual([long, `[research] ${long}`]);
    expect([...text].length).toBeLessThanOrEqual(300);
  });

  it('compares an error-fix line by its record', () => {
    const [draft] = prepareQuery({ text: 'ERROR-FIX: EPERM: x | FIX: close the handle first' }).drafts;
    expect(draft?.kind).toBe('error_fix');
  });

  it('knows a text that is about to be stored from a question', () => {
    expect(prepareQuery({ text: 'ERROR-FIX: EPERM: x | FIX: close the handle first' }).isProbe).toBe(true);
    expect(prepareQuery({ text: 'Context: a b c. Insight: d e f. Action: g h i.' }).isProbe).toBe(true);
    expect(prepareQuery({ text: 'EPERM: operation not permitted' }).isProbe).toBe(false);
  });

  it('M7: searches a raw diff by its paths and names', () => {
    const diff = `diff --git a/src/clock.ts b/src/clock.ts\n--- a/src/clock.ts\n+++ b/src/clock.ts\n@@ -1,2 +1,2 @@\n-const oldTimer = 1;\n+const newTimer = 2;\n`;
    const query = prepareQuery({ text: diff });
    expect(query.reduced).toBe('diff');
    expect(query.text).toContain('src/clock.ts');
    expect(query.text).not.toContain('@@');
  });
});
