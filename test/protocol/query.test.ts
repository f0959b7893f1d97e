import { describe, expect, it } from 'vitest';
import { countChars } from '../../src/kernel/index.ts';
import { categoriseFile, extractQuery, isErrorQuery, WORKFLOWS } from '../../src/protocol/index.ts';

const SENTENCE = 'The loader reads every configuration file once and keeps it until the folder changes. ';

describe('extractQuery', () => {
  it.each(['plan', 'work'] as const)('M6: %s searches the Overview, cut at a word to 500', (name) => {
    const overview = SENTENCE.repeat(11);
    const plan = `---\ntitle: x\n---\n# Plan\n\nIntro.\n\n## Overview\n\n${overview}\n\n### Detail\nInside.\n\n## Steps\n\nOutside.\n`;
    const { text, source } = extractQuery({ workflow: WORKFLOWS[name], text: plan });
    expect(source).toBe('overview');
    expect(countChars(text)).toBeLessThanOrEqual(500);
    expect(countChars(text)).toBeGreaterThan(480);
    expect(overview.startsWith(text)).toBe(true);
    expect(overview.charAt(text.length)).toBe(' ');
  });

  it('M6: the Overview ends at the next heading of its level, not inside a code fence', () => {
    const plan = '## Overview\none\n### sub\ntwo\n```sh\n## comment\n```\nthree\n## Next\nfour';
    const { text } = extractQuery({ workflow: WORKFLOWS.plan, text: plan });
    expect(text).toContain('three');
    expect(text).not.toContain('four');
  });

  it('M6: a plan without one is searched by its first 500 characters without frontmatter', () => {
    const { text, source } = extractQuery({
      workflow: WORKFLOWS.plan,
      text: `---\ntitle: secret title\n---\n${SENTENCE.repeat(9)}`,
    });
    expect(source).toBe('plan');
    expect(text.startsWith('The loader')).toBe(true);
    expect(countChars(text)).toBeLessThanOrEqual(500);
    expect(text).not.toContain('secret title');
  });

  it('M6: a review body of 30 characters gives way to title, categories and three base names', () => {
    const files = ['src/load/cache.ts', 'test/load/cache.test.ts', '.github/workflows/ci.yml', 'docs/cache.md'];
    const { text, source } = extractQuery({
      workflow: WORKFLOWS.review,
      text: 'Fixes the thing we spoke about',
      title: 'Cache the loader',
      files,
    });
    expect(source).toBe('title_and_files');
    expect(text).toBe('Cache the loader source TypeScript test ci docs cache.ts cache.test.ts ci.yml');
    expect(countChars(text)).toBeLessThanOrEqual(300);
  });

  it('M6: a longer review body is searched itself, cut to 300', () => {
    const { text, source } = extractQuery({ workflow: WORKFLOWS.review, text: SENTENCE.repeat(9), title: 'T' });
    expect(source).toBe('body');
    expect(countChars(text)).toBeLessThanOrEqual(300);
  });

  it.each(Object.values(WORKFLOWS))('M7: a raw diff is reduced for $name', (workflow) => {
    const lines = Array.from(
      { length: 400 },
      (_, i) => `${'+- '.charAt(i % 3)}  const cachedValue${i} = readConfig(rootFolder, ${i});`,
    );
    const diff = `diff --git a/src/load.ts b/src/load.ts\nindex 1..2 100644\n--- a/src/load.ts\n+++ b/src/load.ts\n@@ -1,9 +1,9 @@\n${lines.join('\n')}`;
    const { text, reduced } = extractQuery({ workflow, text: diff });
    expect(reduced).toBe('diff');
    expect(text).toContain('src/load.ts');
    expect(text).toContain('readConfig');
    expect(countChars(text)).toBeLessThanOrEqual(300);
    for (const line of lines) expect(text).not.toContain(line.trim());
    expect(text).not.toMatch(/@@|diff --git|const /);
  });

  it('takes no Markdown rule for a diff', () => {
    const { reduced } = extractQuery({ workflow: WORKFLOWS.other, text: '--- a title\n+++ another\nplain text' });
    expect(reduced).toBeUndefined();
  });

  it('M91: debug searches the signature, never the trace; ci adds the step', () => {
    const error = `TypeError: Cannot read properties of undefined (reading 'map')\n${'    at render (/app/node_modules/x/y.js:1:2)\n'.repeat(200)}`;
    const debug = extractQuery({ workflow: WORKFLOWS.debug, error });
    expect(debug).toMatchObject({
      text: "TypeError: Cannot read properties of undefined (reading 'map')",
      source: 'signature',
      isError: true,
    });
    expect(debug.signature).toBe(debug.text);
    expect(extractQuery({ workflow: WORKFLOWS.ci, error, title: 'Unit tests' }).text).toBe(`${debug.text} Unit tests`);
    expect(extractQuery({ workflow: WORKFLOWS.ci, error: `##[group]Run npm test\n${error}` }).text).toBe(
      `${debug.text} npm test`,
    );
  });

  it('collapses white space and takes out what cannot be seen', () => {
    expect(extractQuery({ workflow: WORKFLOWS.other, text: ' a\u200b \n\n b\u202e ' }).text).toBe('a b');
  });

  it('gives an empty text where there is nothing to search', () => {
    expect(extractQuery({ workflow: WORKFLOWS.other }).text).toBe('');
  });
});

describe('isErrorQuery', () => {
  it('is true for debug and ci, and for a strong signature elsewhere', () => {
    expect(isErrorQuery(WORKFLOWS.debug, 'slow start')).toBe(true);
    expect(isErrorQuery(WORKFLOWS.ci, 'slow start')).toBe(true);
    expect(isErrorQuery(WORKFLOWS.other, "TypeError: Cannot read properties of undefined (reading 'map')")).toBe(true);
    expect(isErrorQuery(WORKFLOWS.plan, 'Plan the move of the loader to workers')).toBe(false);
  });
});

describe('categoriseFile', () => {
  it.each([
    ['test/load/cache.test.ts', 'test'],
    ['src/a_test.go', 'test'],
    ['.github/workflows/ci.yml', 'ci'],
    ['.gitlab-ci.yml', 'ci'],
    ['docs/guide.md', 'docs'],
    ['LICENSE', 'docs'],
    ['package.json', 'build'],
    ['Dockerfile', 'build'],
    ['requirements.txt', 'build'],
    ['tsconfig.json', 'config'],
    ['.eslintrc.cjs', 'config'],
    ['app/config/prod.yaml', 'config'],
    ['db/migrations/001.sql', 'schema'],
    ['api/openapi.yaml', 'schema'],
    ['web/site.scss', 'style'],
    ['src\\load\\cache.py', 'source'],
    ['bin/run', 'source'],
  ] as const)('of %s is %s', (path, category) => {
    expect(categoriseFile(path).category).toBe(category);
  });

  it('names the language of source files', () => {
    expect(categoriseFile('src/load.tsx')).toEqual({ category: 'source', language: 'TypeScript' });
    expect(categoriseFile('bin/run')).toEqual({ category: 'source' });
  });
});
