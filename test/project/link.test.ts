import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkMarker } from '../../src/project/index.ts';
import { makeWorld, type World } from './support/world.ts';

function makeStore(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.gitignore'), '*\n');
  writeFileSync(join(folder, 'memory.db'), '');
}

/** What an old command tests before it does anything. */
function hasMarker(folder: string): boolean {
  execFileSync('test', ['-d', '.ruvector'], { cwd: folder });
  return true;
}

async function sceneWithWorktree(world: World): Promise<{ root: string; worktree: string }> {
  const root = world.repository('home', 'app');
  const worktree = join(world.home, 'app-wt');
  world.git(root, 'worktree', 'add', '--quiet', worktree);
  return { root, worktree };
}

describe('linkMarker', () => {
  it('makes .ruvector in the main checkout and in a worktree, and git status stays clean', async () => {
    const world = makeWorld();
    const { root, worktree } = await sceneWithWorktree(world);
    makeStore(join(root, '.cairn'));
    const result = linkMarker(await world.locate(worktree));
    expect(result).toEqual({
      created: [join(root, '.ruvector'), join(worktree, '.ruvector')],
      present: [],
      skipped: [],
      excludedIn: join(root, '.git', 'info', 'exclude'),
    });
    for (const folder of [root, worktree]) {
      expect(hasMarker(folder)).toBe(true);
      expect(world.git(folder, 'status', '--porcelain', '--untracked-files=all')).toBe('');
      const location = await world.locate(folder);
      expect(location).toMatchObject({
        storeFolder: join(root, '.cairn'),
        marker: '.cairn',
        shadowed: [],
        warnings: [],
      });
      expect(location.storePath.startsWith(realpathSync(join(folder, '.ruvector')))).toBe(true);
    }
    expect(readlinkSync(join(root, '.ruvector'))).toBe('.cairn');
  });

  it('changes nothing the second time', async () => {
    const world = makeWorld();
    const { root } = await sceneWithWorktree(world);
    makeStore(join(root, '.cairn'));
    linkMarker(await world.locate(root));
    const exclude = readFileSync(join(root, '.git', 'info', 'exclude'), 'utf8');
    expect(linkMarker(await world.locate(root))).toEqual({
      created: [],
      present: [join(root, '.ruvector')],
      skipped: [],
    });
    expect(readFileSync(join(root, '.git', 'info', 'exclude'), 'utf8')).toBe(exclude);
  });

  it('links a worktree to a .ruvector that is used in place, and to the store of a bare repository', async () => {
    const world = makeWorld();
    const { root, worktree } = await sceneWithWorktree(world);
    makeStore(join(root, '.ruvector'));
    expect(linkMarker(await world.locate(worktree)).created).toEqual([join(worktree, '.ruvector')]);
    expect(realpathSync(join(worktree, '.ruvector'))).toBe(join(root, '.ruvector'));
    expect((await world.locate(worktree)).shadowed).toEqual([]);

    const bare = join(world.base, 'app.git');
    world.git(root, 'clone', '--quiet', '--bare', root, bare);
    const other = join(world.home, 'other');
    world.git(bare, 'worktree', 'add', '--quiet', '-b', 'other', other);
    makeStore(join(bare, 'cairn'));
    linkMarker(await world.locate(other));
    expect(realpathSync(join(other, '.ruvector'))).toBe(join(bare, 'cairn'));
    expect(world.git(other, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    expect(await world.locate(other)).toMatchObject({ storeFolder: join(bare, 'cairn'), shadowed: [], warnings: [] });
  });

  it('leaves a folder of that name alone, and needs a store folder', async () => {
    const world = makeWorld();
    const { root, worktree } = await sceneWithWorktree(world);
    const location = await world.locate(worktree);
    expect(() => linkMarker(location)).toThrow(
      expect.objectContaining({ code: 'not_found', repair: { command: 'cairn init' } }),
    );
    makeStore(join(root, '.cairn'));
    mkdirSync(join(worktree, '.ruvector'));
    expect(linkMarker(await world.locate(worktree)).skipped).toEqual([
      { path: join(worktree, '.ruvector'), reason: expect.stringContaining('move it away') },
    ]);
    expect(lstatSync(join(worktree, '.ruvector')).isDirectory()).toBe(true);
  });

  it('works without Git', async () => {
    const world = makeWorld();
    const folder = world.folder('home', 'notes');
    makeStore(join(folder, '.cairn'));
    expect(linkMarker(await world.locate(folder))).toEqual({
      created: [join(folder, '.ruvector')],
      present: [],
      skipped: [],
    });
    expect(hasMarker(folder)).toBe(true);
    expect(await world.locate(folder)).toMatchObject({ marker: '.cairn', derivedFrom: 'marker', shadowed: [] });
  });
});
