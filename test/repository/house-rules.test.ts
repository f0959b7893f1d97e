import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { HouseCheck } from '../../scripts/checks/check.ts';
import { longFiles } from '../../scripts/checks/long-files.ts';
import { pinnedPackages } from '../../scripts/checks/pinned-packages.ts';
import { rooms } from '../../scripts/checks/rooms.ts';
import { sourceRules } from '../../scripts/checks/source-rules.ts';
import { listRepositoryFiles } from '../../scripts/support/repository-files.ts';
import { temporaryFolder, writeTree } from '../support/temporary-folder.ts';

/** Problems that a check finds in a repository of these files. */
function problemsOf(check: HouseCheck, files: Readonly<Record<string, string>>): readonly string[] {
  const root = temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd: root });
  writeTree(root, files);
  return check.run(root, listRepositoryFiles(root)).problems;
}

describe('file length', () => {
  it('refuses 501 lines and accepts 500', () => {
    const problems = problemsOf(longFiles, {
      'src/a/long.ts': 'x;\n'.repeat(501),
      'src/a/limit.ts': 'x;\n'.repeat(500),
    });
    expect(problems).toEqual([expect.stringMatching(/^src\/a\/long\.ts: 501 lines/)]);
  });

  it('leaves generated files alone', () => {
    expect(problemsOf(longFiles, { 'src/a/generated/table.ts': 'x;\n'.repeat(900) })).toEqual([]);
  });
});

describe('rooms', () => {
  const sound = {
    'scripts/room-table.json': '{"kernel": [], "text": ["kernel"], "cli": ["*"]}',
    'AGENTS.md': '| `kernel` | base | nothing |\n| `text` | words | kernel |\n| `cli` | all | anything |\n',
    'src/text/index.ts': '',
    'src/text/README.md': '# text\n',
    'src/cli/README.md': '# cli\n',
    'src/cli/bin.ts': '',
  };

  it('accepts a room with a door and a README, and the program without a door', () => {
    expect(problemsOf(rooms, sound)).toEqual([]);
  });

  it('refuses a room without a door, without a README, with a long one, or unknown', () => {
    const { 'src/text/index.ts': _, ...doorless } = sound;
    expect(problemsOf(rooms, doorless)).toEqual([expect.stringContaining('src/text: no index.ts')]);
    expect(problemsOf(rooms, { ...sound, 'src/kernel/index.ts': '' })).toEqual([
      expect.stringContaining('src/kernel: no README.md'),
    ]);
    expect(problemsOf(rooms, { ...sound, 'src/text/README.md': 'line\n'.repeat(26) })).toEqual([
      expect.stringContaining('26 lines'),
    ]);
    expect(problemsOf(rooms, { ...sound, 'src/attic/index.ts': '' })).toEqual([expect.stringContaining('src/attic')]);
  });

  it('refuses a map that differs from the table', () => {
    const map = sound['AGENTS.md'].replace('words | kernel', 'words | kernel cli');
    expect(problemsOf(rooms, { ...sound, 'AGENTS.md': map })).toEqual([expect.stringContaining('row of text')]);
  });
});

describe('source rules', () => {
  it.each([
    ['the environment', 'src/a/b.ts', 'export const home = process.env.HOME;'],
    ['the arguments by index', 'src/a/b.ts', "export const a = process['argv'];"],
    ['an exit', 'src/a/b.ts', 'process.exit(1);'],
    ['an imported exit', 'src/a/b.ts', "import { exit } from 'node:process';\nexit(1);"],
    ['a top-level let', 'src/a/b.ts', 'let count = 0;\nexport const next = () => count++;'],
    ['a top-level map to be filled', 'src/a/b.ts', 'export const seen = new Map<string, number>();'],
    ['a top-level list to be filled', 'src/a/b.ts', 'export const seen: string[] = [];'],
    ['a dropped rejection', 'src/a/b.ts', 'export const f = (p: Promise<void>) => p.catch(() => {});'],
    ['unfinished work', 'src/a/b.ts', '// TO' + 'DO: more\nexport {};'],
    ['a module mock', 'test/a/b.test.ts', "vi.mock('node:fs');"],
    ['a skipped test', 'test/a/b.test.ts', "it.skip('x', () => undefined);"],
    ['a focused suite', 'test/a/b.test.ts', "describe.only('x', () => undefined);"],
    ['a test to be written', 'test/a/b.test.ts', "test.todo('x');"],
    ['a silent condition', 'test/a/b.test.ts', "it.skipIf(true)('x', () => undefined);"],
    ['a skip without a reason', 'test/a/b.test.ts', "it('x', (context) => context.skip());"],
  ])('refuses %s', (_, path, text) => {
    expect(problemsOf(sourceRules, { [path]: `${text}\n` })).toEqual([
      expect.stringMatching(new RegExp(`^${path}:\\d+: `)),
    ]);
  });

  it.each([
    ['the environment in the program', 'src/cli/b.ts', 'export const home = process.env.HOME;'],
    ['other members of process', 'src/a/b.ts', 'export const where = process.platform;'],
    ['a text that names them', 'src/a/b.ts', "export const help = 'process.env and it.skip';"],
    ['a filled table', 'src/a/b.ts', "export const table = new Map([['a', 1]]);"],
    [
      'a reasoned dropped rejection',
      'src/a/b.ts',
      'export const f = (p: Promise<void>) => p.catch(() => {\n  // Told.\n});',
    ],
    ['a skip with its reason', 'test/a/b.test.ts', "it('x', (context) => context.skip(true, 'no tmpfs here'));"],
  ])('accepts %s', (_, path, text) => {
    expect(problemsOf(sourceRules, { [path]: `${text}\n` })).toEqual([]);
  });
});

describe('packages', () => {
  const manifest = {
    name: 'p',
    version: '1.0.0',
    dependencies: { a: '1.2.3' },
    devDependencies: { b: '2.0.0-alpha.1' },
  };
  const repository = (packageJson: object, packages: object): Record<string, string> => ({
    'package.json': JSON.stringify(packageJson),
    'package-lock.json': JSON.stringify({ packages }),
  });

  it('accepts exact versions and a lock without hosts', () => {
    const lock = {
      '': {},
      'node_modules/a': { version: '1.2.3' },
      'node_modules/w': { resolved: 'packages/w', link: true },
    };
    expect(problemsOf(pinnedPackages, repository(manifest, lock))).toEqual([]);
  });

  it('refuses a range, a host in the lock, and an install script in what is published', () => {
    const ranged = { ...manifest, dependencies: { a: '^1.2.3' } };
    expect(problemsOf(pinnedPackages, repository(ranged, {}))).toEqual([expect.stringContaining('"^1.2.3"')]);
    const hosted = { 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } };
    expect(problemsOf(pinnedPackages, repository(manifest, hosted))).toEqual([expect.stringContaining('names a host')]);
    const scripted = { 'node_modules/x/node_modules/a': { hasInstallScript: true } };
    expect(problemsOf(pinnedPackages, repository(manifest, scripted))).toEqual([expect.stringContaining('a runs')]);
    const refused = { ...manifest, allowScripts: { a: false } };
    expect(problemsOf(pinnedPackages, repository(refused, scripted))).toEqual([]);
  });

  it('refuses a workspace whose version is not the one that is depended on', () => {
    const files = {
      ...repository({ ...manifest, dependencies: { w: '1.0.0' } }, {}),
      'packages/w/package.json': JSON.stringify({ name: 'w', version: '1.0.1' }),
    };
    expect(problemsOf(pinnedPackages, files)).toEqual([expect.stringContaining('workspace has 1.0.1')]);
  });
});
