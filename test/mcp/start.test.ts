import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { openCodeCache } from '../../src/cli/code-cache.ts';
import { userCacheFolder, userDataFolder } from '../../src/cli/user-folders.ts';
import { builtProgram } from '../support/program.ts';
import {
  cleanEnvironment,
  converse,
  INITIALIZE,
  protocolLines,
  ROOT,
  request,
  start,
  temporaryFolder,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LIST = [...INITIALIZE, request('tools/list', {}, 2)];
/** 7.7 asks for 300 ms alone and 1.5 s for one of eight, and 7 times a bare start; five times that on a busy machine. */
async function limits(): Promise<{ readonly alone: number; readonly crowd: number }> {
  const begun = performance.now();
  await converse(['-e', '0'], [], home('bare'));
  const bare = performance.now() - begun;
  const alone = 5 * Math.max(300, 7 * bare);
  return { alone, crowd: 5 * alone };
}

function home(name: string): Record<string, string> {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  return cleanEnvironment(path);
}

async function timeToList(env: Record<string, string>, cwd = ROOT): Promise<number> {
  const begun = performance.now();
  const running = start([builtProgram(), 'mcp'], { env, cwd });
  running.child.stdin.write(LIST.map((line) => `${line}\n`).join(''));
  await running.seen('"id":2');
  const took = performance.now() - begun;
  running.child.stdin.end();
  await running.ended;
  return took;
}

function cachesOf(env: Record<string, string>): string[] {
  const path = join(env['HOME'] ?? '', '.cache/cairn/v8');
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

describe('H6 the start', () => {
  it('lists tools in time, without a cache and with one', async () => {
    const env = home('in-time');
    const { alone } = await limits();
    expect(await timeToList(env)).toBeLessThan(alone);
    expect(await timeToList(env)).toBeLessThan(alone);
  });

  /** A project whose store cannot be opened without waiting forever: a list in time has not touched it, whatever its size. */
  function projectWithEndlessStore(): string {
    const project = join(folder.path, 'project');
    mkdirSync(join(project, '.cairn'), { recursive: true });
    execFileSync('mkfifo', [join(project, '.cairn/memory.db')]);
    return project;
  }

  it('M108 of eight servers at once on one store is in time for each, at any size of the store', async () => {
    const env = home('crowd');
    const { alone, crowd } = await limits();
    const project = projectWithEndlessStore();
    const times = await Promise.all(Array.from({ length: 8 }, () => timeToList(env, project)));
    for (const time of times) expect(time).toBeLessThan(crowd);
    // All eight wrote the same file, one after the other or at once; what is left is one whole cache
    expect(cachesOf(env)).toHaveLength(1);
    expect(await timeToList(env)).toBeLessThan(alone);
  });

  it('is of a bundle in ASCII, which is read without decoding', () => {
    const bytes = readFileSync(builtProgram().replace(/cli\.js$/, 'main.cjs'));
    expect(bytes.every((byte) => byte < 0x80)).toBe(true);
  });

  it('answers --version without the server', async () => {
    const { stdout, code } = await converse([builtProgram(), '--version'], [], home('version'));
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect([stdout, code]).toEqual([`${version}\n`, 0]);
  });
});

describe('the code cache of the program', () => {
  it('is written once, for its user alone, and used from then on', async () => {
    const env = home('written');
    await converse([builtProgram(), 'mcp'], LIST, env);
    const [cache, ...others] = cachesOf(env);
    expect(others).toEqual([]);
    expect(statSync(cache ?? '').mode & 0o777).toBe(0o600);
    const long = new Date('2026-01-01');
    utimesSync(cache ?? '', long, long);
    await converse([builtProgram(), 'mcp'], LIST, env);
    expect(statSync(cache ?? '').mtimeMs).toBe(long.getTime());
  });

  it.each<[string, (path: string) => void]>([
    ['damaged', (path) => writeFileSync(path, readFileSync(path).fill(0, 5_000, 6_000))],
    ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 1_000))],
    ['empty', (path) => writeFileSync(path, '')],
    ['writable by others', (path) => chmodSync(path, 0o666)],
  ])('that is %s is not used, and written anew', async (what, spoil) => {
    const env = home(what);
    await converse([builtProgram(), 'mcp'], LIST, env);
    const [cache = ''] = cachesOf(env);
    spoil(cache);
    const { stdout, code } = await converse([builtProgram(), 'mcp'], LIST, env);
    expect(code).toBe(0);
    expect(protocolLines(stdout)).toHaveLength(2);
    expect(statSync(cache).size).toBeGreaterThan(100_000);
    expect(statSync(cache).mode & 0o777).toBe(0o600);
  });
});

describe('a code cache', () => {
  const make = (name: string, source = '1') =>
    openCodeCache(join(folder.path, name, 'cairn/v8'), Buffer.from(source), 'mcp');

  it('gives back what was written for the same source, and nothing for another', () => {
    mkdirSync(join(folder.path, 'same'));
    const data = new Script('1').createCachedData();
    make('same').write(data);
    expect(make('same').read()).toEqual(data);
    expect(make('same', '2').read()).toBeUndefined();
  });

  it('makes no home that is not there', () => {
    openCodeCache(join(folder.path, 'a/b/c/d/cairn/v8'), Buffer.from('1'), 'mcp').write(Buffer.from('x'));
    expect(existsSync(join(folder.path, 'a'))).toBe(false);
  });

  it('removes what has not been written for a month', () => {
    mkdirSync(join(folder.path, 'old/cairn/v8'), { recursive: true });
    const old = join(folder.path, 'old/cairn/v8/mcp-old.bin');
    writeFileSync(old, '');
    utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'));
    make('old').write(Buffer.from('x'));
    expect(existsSync(old)).toBe(false);
    expect(make('old').read()).toEqual(Buffer.from('x'));
  });
});

describe('the folders of a user', () => {
  it.each([
    ['linux', { XDG_CACHE_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/cairn', '/d/cairn'],
    ['linux', { XDG_CACHE_HOME: 'relative', XDG_DATA_HOME: '' }, /\/\.cache\/cairn$/, /\/\.local\/share\/cairn$/],
    ['darwin', {}, /Library\/Caches\/cairn$/, /Library\/Application Support\/cairn$/],
    ['win32', { LOCALAPPDATA: '/l' }, '/l/cairn/Cache', '/l/cairn/Data'],
  ] as const)('on %s with %j', (platform, variables, cache, data) => {
    expect(userCacheFolder(variables, platform)).toMatch(cache);
    expect(userDataFolder(variables, platform)).toMatch(data);
  });
});
