import { describe, expect, it } from 'vitest';
import { searchTerms, tokenise } from '../../src/text/index.ts';

function terms(text: string, kind?: string): string[] {
  return tokenise(text)
    .filter((token) => kind === undefined || token.kind === kind)
    .map(({ term }) => term);
}

describe('tokenise', () => {
  it('stems words and drops stop words', () => {
    expect(terms('The caches were not being invalidated after the deployments')).toEqual(['cach', 'invalid', 'deploy']);
  });

  it.each([
    ['parseDuration', ['parseduration'], ['pars', 'durat']],
    ['XMLHttpRequest', ['xmlhttprequest'], ['xml', 'http', 'request']],
    ['max_old_space', ['max_old_space'], ['max', 'old', 'space']],
    ['left-pad', ['left-pad'], ['left', 'pad']],
    ['fs.readFileSync()', ['fs.readfilesync'], ['fs', 'read', 'file', 'sync']],
    ['std::vector', ['std::vector'], ['std', 'vector']],
    ['ERR_MODULE_NOT_FOUND', ['err_module_not_found'], ['err', 'modul', 'found']],
    ['TS2345', ['ts2345'], []],
    ['v4.1.8', ['v4.1.8'], ['4.1.8']],
    ['4.1.8', ['4.1.8'], []],
  ])('keeps %s whole and gives its parts', (text, whole, parts) => {
    expect(terms(text, 'identifier')).toEqual(whole);
    expect(terms(text, 'word')).toEqual(parts);
  });

  it('M74: finds parseDuration by its words, and tells TS2345 from TS2339', () => {
    const stored = new Set(terms('parseDuration rejects negative values'));
    expect(searchTerms('parse duration').terms.every((term) => stored.has(term))).toBe(true);
    expect(searchTerms('TS2345').terms).not.toEqual(searchTerms('TS2339').terms);
    expect(searchTerms('parseDuraton').identifiers).toEqual(['parseduraton']);
  });

  it('M75: reads Chinese, Japanese and Korean as overlapping pairs, German by its words', () => {
    expect(terms('左侧面板', 'cjk')).toEqual(['左侧', '侧面', '面板']);
    expect(terms('中', 'cjk')).toEqual(['中']);
    expect(terms('ビルド失敗', 'cjk')).toEqual(['ビル', 'ルド', 'ド失', '失敗']);
    expect(terms('Die Größe der Läufer')).toContain('grösse');
  });

  it('folds width and case', () => {
    expect(terms('ＡＢＣ Straße')).toEqual(terms('abc strasse'));
  });

  it('reads contractions and possessives', () => {
    expect(terms("the user's cache isn't warm")).toEqual(['user', 'cach', 'warm']);
    expect(terms("l'erreur")).toContain('erreur');
  });

  it('gives no terms to text without information', () => {
    expect(searchTerms('?!… and the of it').terms).toEqual([]);
  });

  it('keeps the order of first appearance in search terms, each once', () => {
    expect(searchTerms('retry the upload, then retry parseUrl').terms).toEqual([
      'retri',
      'upload',
      'parseurl',
      'pars',
      'url',
    ]);
  });

  it('handles a megabyte of prose in well under its stated five megabytes a second', () => {
    const prose = 'The worker retries an upload when fetchChunk fails with ECONNRESET in src/net/upload.ts. '.repeat(
      11_500,
    );
    tokenise(prose.slice(0, 20_000));
    const start = performance.now();
    expect(tokenise(prose).length).toBeGreaterThan(100_000);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
