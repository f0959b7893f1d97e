import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/kernel/index.ts';
import { createProjectResolver, resolveProject } from '../../src/project/index.ts';
import { contextOf, makeWorld } from './support/world.ts';

async function failureOf(promise: Promise<unknown>): Promise<{ code?: string; message: string; repair?: unknown }> {
  return promise.then(
    () => ({ message: 'succeeded' }),
    (error) => error,
  );
}

describe('without Git', () => {
  it('M49 a plain folder is its own project, and nothing is created by asking', async () => {
    const world = makeWorld();
    const folder = world.folder('home', 'notes');
    expect(await world.locate(folder)).toMatchObject({
      root: folder,
      storeFolder: join(folder, '.cairn'),
      derivedFrom: 'directory',
      subfolder: '',
    });
    expect(existsSync(join(folder, '.cairn'))).toBe(false);
  });

  it('takes the nearest marker above, below the home folder', async () => {
    const world = makeWorld();
    const top = world.folder('home', 'notes');
    const deep = world.folder('home', 'notes', 'a', 'b');
    world.folder('home', 'notes', '.cairn');
    expect(await world.locate(deep)).toMatchObject({ root: top, derivedFrom: 'marker', subfolder: 'a/b' });
    world.folder('home', 'notes', 'a', '.ruvector');
    expect(await world.locate(deep)).toMatchObject({ root: join(top, 'a'), marker: '.ruvector' });
  });

  it('M49 refuses the home folder, its parents, the root, the temporary root and node_modules, and says why', async () => {
    const world = makeWorld();
    const cases = [
      [world.home, 'home folder'],
      [world.base, 'holds the home folder'],
      ['/', 'root of the file system'],
      [world.places.temporaryRoot, 'temporary folder'],
      [world.folder('home', 'app', 'node_modules', 'x'), 'node_modules'],
    ] as const;
    for (const [folder, reason] of cases) {
      const failure = await failureOf(world.locate(folder));
      expect([folder, failure.code]).toEqual([folder, 'no_project']);
      expect(failure.message).toContain(reason);
      expect(failure.message).toContain(folder);
    }
    const below = world.folder('tmp', 'scratch');
    expect((await world.locate(below)).root).toBe(below);
  });

  it('refuses node_modules inside a repository too', async () => {
    const world = makeWorld();
    world.repository('home', 'app');
    const failure = await failureOf(world.locate(world.folder('home', 'app', 'node_modules', 'x')));
    expect(failure.code).toBe('no_project');
  });

  it("M49 a plugin's own folder as working folder: no project alone, the root's project with roots", async () => {
    const world = makeWorld();
    const plugin = world.repository('home', '.agent', 'plugins', 'cairn');
    const root = world.repository('home', 'app');
    const options = { purpose: 'write', ...world.places, pluginRoots: [plugin] } as const;
    expect((await failureOf(resolveProject(contextOf(plugin), options))).code).toBe('no_project');
    expect((await resolveProject(contextOf(plugin, { roots: [root] }), options)).root).toBe(root);
  });

  it('M50 never uses a marker of the home folder, of the root above it, or of the temporary root', async () => {
    const world = makeWorld();
    world.folder('home', '.ruvector');
    world.folder('.cairn');
    world.folder('tmp', '.cairn');
    for (const folder of [world.folder('home', 'notes'), world.folder('tmp', 'scratch'), world.folder('elsewhere')]) {
      expect(await world.locate(folder)).toMatchObject({ root: folder, derivedFrom: 'directory', shadowed: [] });
    }
    const repository = world.repository('home', 'app');
    expect((await world.locate(repository)).storeFolder).toBe(join(repository, '.cairn'));
  });

  it('M55 a home folder that is a repository: a plain subfolder is its own project', async () => {
    const world = makeWorld();
    world.repository('home');
    const folder = world.folder('home', 'notes');
    expect(await world.locate(folder)).toMatchObject({ root: folder, derivedFrom: 'directory' });
    expect((await failureOf(world.locate(world.home))).code).toBe('no_project');
    const inner = world.repository('home', 'app');
    expect((await world.locate(inner)).derivedFrom).toBe('git-common-dir');
  });
});

describe('marker folders', () => {
  it('M51 uses a real .ruvector in place; with both, .cairn wins and the other is named', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    world.folder('home', 'app', '.ruvector');
    expect(await world.locate(root)).toMatchObject({
      storeFolder: join(root, '.ruvector'),
      storePath: join(root, '.ruvector', 'memory.db'),
      marker: '.ruvector',
      shadowed: [],
    });
    world.folder('home', 'app', '.cairn');
    expect(await world.locate(root)).toMatchObject({
      storeFolder: join(root, '.cairn'),
      marker: '.cairn',
      shadowed: [{ path: join(root, '.ruvector') }],
    });
  });

  it('M51 a dangling .ruvector counts as absent and is reported', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    symlinkSync('nowhere', join(root, '.ruvector'));
    const location = await world.locate(root);
    expect(location).toMatchObject({ storeFolder: join(root, '.cairn'), marker: '.cairn' });
    expect(location.warnings).toEqual([expect.stringMatching(/\.ruvector counts as absent: the link leads nowhere/)]);
  });

  it('a link out of the project is not followed: a cloned repository can carry one', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    symlinkSync(world.folder('home', '.ssh'), join(root, '.ruvector'));
    const location = await world.locate(root);
    expect(location.storeFolder).toBe(join(root, '.cairn'));
    expect(location.warnings).toEqual([expect.stringContaining('leads out of the project')]);
  });

  it('a write is refused where .cairn itself is a link to nowhere or a file', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    symlinkSync('nowhere', join(root, '.cairn'));
    const write = resolveProject(contextOf(root), { purpose: 'write', ...world.places });
    expect((await failureOf(write)).code).toBe('path_outside_project');
    expect((await world.locate(root)).storeFolder).toBe(join(root, '.cairn'));
    rmSync(join(root, '.cairn'));
    symlinkSync(world.folder('home', '.ssh'), join(root, '.cairn'));
    expect((await failureOf(world.locate(root))).code).toBe('path_outside_project');
    rmSync(join(root, '.cairn'));
    writeFileSync(join(root, '.cairn'), '');
    expect((await failureOf(resolveProject(contextOf(root), { purpose: 'write', ...world.places }))).code).toBe(
      'path_outside_project',
    );
  });

  it('M51 names real marker folders on the way from the start to the top', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    const deep = world.folder('home', 'app', 'src', 'a');
    mkdirSync(join(root, 'src', '.ruvector'));
    mkdirSync(join(deep, '.cairn'));
    const { shadowed } = await world.locate(deep);
    expect(shadowed.map(({ path }) => path)).toEqual([join(deep, '.cairn'), join(root, 'src', '.ruvector')]);
  });
});

describe('the start folder', () => {
  it('M49 is the first of project, roots, host variable, argument, working folder', async () => {
    const world = makeWorld();
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => world.folder('home', name));
    const full = { roots: [b ?? ''], hostProjectDirectory: c ?? '', projectArgument: d ?? '' };
    const options = { purpose: 'read', ...world.places } as const;
    const rootOf = async (more: object, project?: string): Promise<unknown[]> => {
      const found = await resolveProject(
        contextOf(e ?? '', more),
        project === undefined ? options : { ...options, project },
      );
      return [found.root, found.startSource];
    };
    expect(await rootOf(full, a)).toEqual([a, 'project']);
    expect(await rootOf(full, '../a')).toEqual([a, 'project']);
    expect(await rootOf(full)).toEqual([b, 'root']);
    expect(await rootOf({ ...full, roots: [] })).toEqual([c, 'host-variable']);
    expect(await rootOf({ projectArgument: d })).toEqual([d, 'argument']);
    expect(await rootOf({})).toEqual([e, 'working-directory']);
  });

  it('a named project that does not exist is refused; a missing root or variable is passed over and said', async () => {
    const world = makeWorld();
    const folder = world.folder('home', 'app');
    const options = { purpose: 'read', ...world.places } as const;
    const named = resolveProject(contextOf(folder), { ...options, project: 'typo' });
    expect(await failureOf(named)).toMatchObject({ code: 'no_project', field: 'project' });
    const location = await resolveProject(contextOf(folder, { roots: [join(world.base, 'gone')] }), options);
    expect(location.root).toBe(folder);
    expect(location.warnings).toEqual([expect.stringContaining('gone does not exist')]);
  });

  it('M54 two roots, no hint: a read uses the first and says ambiguous, a write is refused with candidates', async () => {
    const world = makeWorld();
    const [a, b] = [world.repository('home', 'a'), world.repository('home', 'b')];
    const context = contextOf(world.home, { roots: [a, b] });
    expect(await resolveProject(context, { purpose: 'read', ...world.places })).toMatchObject({
      root: a,
      ambiguous: true,
      candidates: [a, b],
    });
    expect(await failureOf(resolveProject(context, { purpose: 'write', ...world.places }))).toMatchObject({
      code: 'ambiguous_project',
      message: expect.stringContaining(`${a}, ${b}`),
      repair: { operation: 'memory_remember', arguments: { project: a } },
    });
    const named = await resolveProject(context, { purpose: 'write', project: b, ...world.places });
    expect([named.root, named.ambiguous]).toEqual([b, undefined]);
  });

  it('M54 the host variable, the argument or the working folder decides where it lies in one of the roots', async () => {
    const world = makeWorld();
    const [a, b] = [world.repository('home', 'a'), world.repository('home', 'b')];
    mkdirSync(join(b, 'src'));
    const options = { purpose: 'write', ...world.places } as const;
    for (const context of [
      contextOf(join(b, 'src'), { roots: [a, b] }),
      contextOf(a, { roots: [a, b], hostProjectDirectory: b }),
      contextOf(a, { roots: [a, b], projectArgument: b }),
      contextOf(b, { roots: [a, b], hostProjectDirectory: world.home }),
    ]) {
      const location = await resolveProject(context, options);
      expect([location.root, location.ambiguous]).toEqual([b, undefined]);
    }
  });

  it('several roots in one project are one project', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'a');
    mkdirSync(join(root, 'src'));
    const worktree = join(world.home, 'a-wt');
    world.git(root, 'worktree', 'add', '--quiet', worktree);
    const context = contextOf(world.home, { roots: [join(root, 'src'), worktree] });
    const location = await resolveProject(context, { purpose: 'write', ...world.places });
    expect([location.storeFolder, location.ambiguous]).toEqual([join(root, '.cairn'), undefined]);
  });

  it('M53 two sessions never cross, and a change of roots counts at the next call', async () => {
    const world = makeWorld();
    const [a, b] = [world.repository('home', 'a'), world.repository('home', 'b')];
    const { resolve } = createProjectResolver({ clock: new ManualClock(), ...world.places });
    const rootOf = async (roots: string[]): Promise<string> =>
      (await resolve(contextOf(world.home, { roots }), { purpose: 'read' })).root;
    expect(await Promise.all([rootOf([a]), rootOf([b]), rootOf([a])])).toEqual([a, b, a]);
    expect(await rootOf([b])).toBe(b);
  });

  it('keeps an answer for one second', async () => {
    const world = makeWorld();
    const folder = world.folder('home', 'a', 'b');
    const clock = new ManualClock();
    const { resolve } = createProjectResolver({ clock, ...world.places });
    const derived = async (): Promise<string> => (await resolve(contextOf(folder), { purpose: 'read' })).derivedFrom;
    expect(await derived()).toBe('directory');
    world.folder('home', 'a', '.cairn');
    expect(await derived()).toBe('directory');
    clock.advance(1_000);
    expect(await derived()).toBe('marker');
  });
});
