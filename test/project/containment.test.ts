import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containPath } from '../../src/project/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('containPath', () => {
  it('gives the relative and the absolute form, for paths that exist and those that do not', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src', 'a.ts'), '');
    expect(containPath(root, 'src/a.ts')).toEqual({ relative: 'src/a.ts', absolute: join(root, 'src', 'a.ts') });
    expect(containPath(root, join(root, 'src'))).toEqual({ relative: 'src', absolute: join(root, 'src') });
    expect(containPath(root, 'new/deep/b.ts').relative).toBe('new/deep/b.ts');
    expect(containPath(root, 'src/../src/./a.ts').relative).toBe('src/a.ts');
    expect(containPath(root, '.').relative).toBe('');
    expect(containPath(root, '..a').relative).toBe('..a');
  });

  it('refuses what leads out: dots, absolute paths, links, links to nowhere, NUL', () => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(outside, 'nothing'), join(root, 'dangling'));
    for (const path of [
      '..',
      '../x',
      'a/../../x',
      '/etc/passwd',
      'out',
      'out/x',
      'dangling',
      'dangling/x',
      'a\0b',
      `${root}x`,
    ]) {
      expect(() => containPath(root, path), path).toThrow(expect.objectContaining({ code: 'path_outside_project' }));
    }
  });

  it('allows a link that stays inside, and gives where it leads', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    expect(containPath(root, 'link/x')).toEqual({ relative: 'real/x', absolute: join(root, 'real', 'x') });
  });

  it('never gives a path outside, whatever the input', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    symlinkSync('..', join(root, 'a', 'up'));
    const part = fc.constantFrom('..', '.', 'a', 'b', 'up', '', 'new', '/', '...', 'a/up/..');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        try {
          const { absolute, relative } = containPath(root, parts.join('/'));
          expect(absolute === root || absolute.startsWith(root + sep)).toBe(true);
          expect(relative.split('/')).not.toContain('..');
        } catch (error) {
          expect(error).toMatchObject({ code: 'path_outside_project' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
