import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorld } from './support/world.ts';

describe('a Git repository', () => {
  it('M47 gives one store from its root, a subfolder, a linked worktree and a subfolder of that', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'code', 'app');
    mkdirSync(join(root, 'src', 'a', 'b'), { recursive: true });
    const worktree = join(world.base, 'home', 'code', 'app-feature');
    world.git(root, 'worktree', 'add', '--quiet', '-b', 'feature/x', worktree);
    mkdirSync(join(worktree, 'src'));

    const starts = [root, join(root, 'src', 'a', 'b'), worktree, join(worktree, 'src')];
    const found = await Promise.all(starts.map((start) => world.locate(start)));
    for (const location of found) {
      expect(location).toMatchObject({
        root,
        storeFolder: join(root, '.cairn'),
        storePath: join(root, '.cairn', 'memory.db'),
        derivedFrom: 'git-common-dir',
        marker: '.cairn',
        shadowed: [],
        warnings: [],
      });
    }
    expect(found.map(({ workTree }) => workTree)).toEqual([root, root, worktree, worktree]);
    expect(found.map(({ subfolder }) => subfolder)).toEqual(['', 'src/a/b', '', 'src']);
    expect(found.map(({ branch }) => branch)).toEqual(['main', 'main', 'feature/x', 'feature/x']);
    expect(readdirSync(worktree).sort()).toEqual(['.git', 'src']);
    expect(existsSync(join(root, '.cairn'))).toBe(false);
  });

  it('M48 a bare repository with two worktrees has one store, in its own folder', async () => {
    const world = makeWorld();
    const source = world.repository('source');
    const bare = join(world.base, 'code', 'app.git');
    world.git(source, 'clone', '--quiet', '--bare', source, bare);
    const worktrees = ['one', 'two'].map((name) => join(world.base, 'code', name));
    for (const path of worktrees) world.git(bare, 'worktree', 'add', '--quiet', path, '-b', `b-${path.slice(-3)}`);
    for (const start of [...worktrees, bare]) {
      expect(await world.locate(start)).toMatchObject({
        root: start,
        storeFolder: join(bare, 'cairn'),
        derivedFrom: 'git-dir',
        marker: 'git-dir',
      });
    }
  });

  it('M48 a checkout whose bare repository lies inside it as .bare', async () => {
    const world = makeWorld();
    const source = world.repository('source');
    const top = world.folder('code', 'app');
    world.git(source, 'clone', '--quiet', '--bare', source, join(top, '.bare'));
    writeFileSync(join(top, '.git'), 'gitdir: ./.bare\n');
    world.git(top, 'worktree', 'add', '--quiet', join(top, 'main'), 'main');
    const store = join(top, '.bare', 'cairn');
    expect((await world.locate(join(top, 'main'))).storeFolder).toBe(store);
    expect((await world.locate(top)).storeFolder).toBe(store);
  });

  it('M48 --separate-git-dir, with a worktree, has one store in the separate folder', async () => {
    const world = makeWorld();
    const top = world.folder('code', 'app');
    const separate = join(world.base, 'git-data', 'app.git');
    mkdirSync(join(world.base, 'git-data'));
    world.git(top, 'init', '--quiet', `--separate-git-dir=${separate}`);
    world.git(top, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    const worktree = join(world.base, 'code', 'other');
    world.git(top, 'worktree', 'add', '--quiet', worktree);
    for (const start of [top, worktree]) {
      expect(await world.locate(start)).toMatchObject({
        root: start,
        storeFolder: join(separate, 'cairn'),
        derivedFrom: 'git-dir',
      });
    }
  });

  it('M48 a submodule is a project of its own, the same one from a worktree of the superproject', async () => {
    const world = makeWorld();
    const library = world.repository('library');
    const top = world.repository('code', 'app');
    world.git(top, 'submodule', '--quiet', 'add', library, 'vendor/library');
    world.git(top, 'commit', '--quiet', '-m', 'submodule');
    const worktree = join(world.base, 'code', 'app-wt');
    world.git(top, 'worktree', 'add', '--quiet', worktree);
    world.git(worktree, 'submodule', '--quiet', 'update', '--init');

    const store = join(top, '.git', 'modules', 'vendor', 'library', 'cairn');
    expect(await world.locate(join(top, 'vendor', 'library'))).toMatchObject({
      root: join(top, 'vendor', 'library'),
      storeFolder: store,
      derivedFrom: 'submodule',
      marker: 'git-dir',
    });
    const inWorktree = join(worktree, 'vendor', 'library');
    expect(existsSync(join(top, '.git', 'worktrees', 'app-wt', 'modules', 'vendor', 'library', 'HEAD'))).toBe(true);
    expect((await world.locate(inWorktree)).storeFolder).toBe(store);
    expect((await world.locate(top)).storeFolder).toBe(join(top, '.cairn'));

    rmSync(join(top, '.git', 'modules'), { recursive: true });
    expect((await world.locate(inWorktree)).storeFolder).toBe(
      join(top, '.git', 'worktrees', 'app-wt', 'modules', 'vendor', 'library', 'cairn'),
    );
  });

  it('does not take folders that are only named worktrees and modules for a superproject', async () => {
    const world = makeWorld();
    world.repository('code', 'modules', 'app');
    const other = world.repository('code', 'worktrees', 'x', 'modules', 'app');
    expect((await world.locate(other)).storeFolder).toBe(join(other, '.cairn'));
  });

  it('M55 a worktree may be removed after use; the store stays', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    const worktree = join(world.base, 'code', 'wt');
    world.git(root, 'worktree', 'add', '--quiet', worktree);
    const { storeFolder } = await world.locate(worktree);
    mkdirSync(storeFolder);
    writeFileSync(join(storeFolder, '.gitignore'), '*\n');
    world.git(root, 'worktree', 'remove', worktree);
    expect((await world.locate(root)).storeFolder).toBe(storeFolder);
    expect(world.git(root, 'status', '--porcelain')).toBe('');
  });

  it('passes over a .git that leads nowhere, and says so', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    const worktree = join(world.base, 'code', 'wt');
    world.git(root, 'worktree', 'add', '--quiet', worktree);
    renameSync(root, `${root}-moved`);
    const location = await world.locate(worktree);
    expect(location).toMatchObject({ root: worktree, derivedFrom: 'directory' });
    expect(location.warnings).toEqual([expect.stringContaining(join(worktree, '.git'))]);
  });

  it('takes an empty .git folder for no repository', async () => {
    const world = makeWorld();
    const folder = world.folder('code', 'app', '.git', '..');
    expect((await world.locate(folder)).derivedFrom).toBe('directory');
  });

  it('resolves links in the start folder', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    mkdirSync(join(root, 'src'));
    symlinkSync(join(root, 'src'), join(world.base, 'shortcut'));
    expect(await world.locate(join(world.base, 'shortcut'))).toMatchObject({ root, subfolder: 'src' });
  });

  it('M52 isolate in one worktree gives it a store of its own; the main store is unchanged', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    const worktree = join(world.base, 'code', 'wt');
    world.git(root, 'worktree', 'add', '--quiet', worktree);
    mkdirSync(join(worktree, '.cairn'));
    expect(await world.locate(worktree)).toMatchObject({
      storeFolder: join(root, '.cairn'),
      shadowed: [{ path: join(worktree, '.cairn') }],
    });
    writeFileSync(join(worktree, '.cairn', 'config.json'), '{"isolate": true}');
    mkdirSync(join(worktree, 'src'));
    expect(await world.locate(join(worktree, 'src'))).toMatchObject({
      root: worktree,
      storeFolder: join(worktree, '.cairn'),
      derivedFrom: 'isolate',
      config: { isolate: true },
      shadowed: [],
    });
    expect((await world.locate(root)).storeFolder).toBe(join(root, '.cairn'));
  });

  it('M52 isolate in a subfolder makes a part of a monorepo a project', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'mono');
    const part = join(root, 'packages', 'part');
    mkdirSync(join(part, '.cairn'), { recursive: true });
    mkdirSync(join(part, 'src'));
    writeFileSync(join(part, '.cairn', 'config.json'), '{"isolate": true}');
    expect(await world.locate(join(part, 'src'))).toMatchObject({
      root: part,
      workTree: root,
      subfolder: 'packages/part/src',
    });
    expect((await world.locate(join(root, 'packages'))).storeFolder).toBe(join(root, '.cairn'));
  });
});

describe('HEAD', () => {
  it('gives branch and commit as git does: loose, packed, detached, unborn, SHA-256', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    const head = world.git(root, 'rev-parse', 'HEAD');
    expect(await world.locate(root)).toMatchObject({ branch: 'main', commit: head });
    world.git(root, 'tag', '-a', 'v1', '-m', 'v1');
    world.git(root, 'pack-refs', '--all');
    expect(existsSync(join(root, '.git', 'refs', 'heads', 'main'))).toBe(false);
    expect(await world.locate(root)).toMatchObject({ branch: 'main', commit: head });
    world.git(root, 'checkout', '--quiet', '--detach');
    const detached = await world.locate(root);
    expect([detached.branch, detached.commit]).toEqual([undefined, head]);
    world.git(root, 'checkout', '--quiet', '--orphan', 'new');
    const unborn = await world.locate(root);
    expect([unborn.branch, unborn.commit]).toEqual(['new', undefined]);

    const modern = world.folder('code', 'modern');
    world.git(modern, 'init', '--quiet', '--object-format=sha256');
    world.git(modern, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    expect((await world.locate(modern)).commit).toBe(world.git(modern, 'rev-parse', 'HEAD'));
  });

  it('never follows a reference out of the repository', async () => {
    const world = makeWorld();
    const root = world.repository('code', 'app');
    writeFileSync(join(world.base, 'secret'), 'a'.repeat(40));
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/../../../../../secret\n');
    expect((await world.locate(root)).commit).toBeUndefined();
  });
});
