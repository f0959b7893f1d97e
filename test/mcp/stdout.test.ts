import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../support/program.ts';
import {
  cleanEnvironment,
  converse,
  FIXTURE_SERVER,
  INITIALIZE,
  protocolLines,
  request,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const HOME = cleanEnvironment(folder.path);
const SESSION = [...INITIALIZE, request('tools/list', {}, 2), request('tools/call', { name: 'none' }, 3)];

function place(name: string, write: (path: string) => void): string {
  const path = join(folder.path, name);
  write(path);
  return path;
}

/** Environments in which a start must still be a good one. */
const GOOD: [string, string[], () => Record<string, string>][] = [
  ['a plain start', [], () => HOME],
  ['a second start', [], () => HOME],
  ['read-only', ['--read-only'], () => HOME],
  ['dotted names', ['--tool-names', 'dotted'], () => HOME],
  ['dotted names with =', ['--tool-names=dotted'], () => HOME],
  ['a project', ['--project', folder.path], () => HOME],
  ['a project that is not there', ['--project', '/nowhere/at/all'], () => HOME],
  ['no home', [], () => ({ PATH: HOME['PATH'] ?? '', HOME: '/nowhere/at/all' })],
  ['a file for a home', [], () => cleanEnvironment(place('file-home', (path) => writeFileSync(path, '')))],
  [
    'a cache folder that is a file',
    [],
    () => ({ ...HOME, XDG_CACHE_HOME: place('cache-file', (path) => writeFileSync(path, '')) }),
  ],
  ['a cache folder that cannot be written', [], () => ({ ...HOME, XDG_CACHE_HOME: '/sys' })],
  ['a relative cache folder', [], () => ({ ...HOME, XDG_CACHE_HOME: 'relative' })],
  ['debug output of Node.js', [], () => ({ ...HOME, NODE_DEBUG: 'module,net,stream' })],
  ['deprecations', [], () => ({ ...HOME, NODE_PENDING_DEPRECATION: '1' })],
  ['an empty PATH', [], () => ({ ...HOME, PATH: '' })],
  ['a host variable', [], () => ({ ...HOME, CLAUDE_PROJECT_DIR: '/nowhere' })],
];

const BAD: [string, string[]][] = [
  ['an unknown flag', ['--colour']],
  ['a word', ['now']],
  ['a value that is missing', ['--project']],
  ['a form that is not there', ['--tool-names', 'camel']],
  ['an address of other machines', ['--http', '0.0.0.0:0']],
  ['an address that is none', ['--http', 'here']],
];

describe('H4 M120 standard output of the built server holds JSON-RPC or nothing', () => {
  it.each(GOOD)('with %s', async (_what, argv, environment) => {
    const { stdout, code } = await converse([builtProgram(), 'mcp', ...argv], SESSION, environment());
    expect(code).toBe(0);
    expect(
      protocolLines(stdout)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3]);
  });

  it.each(BAD)('with %s, which is refused on standard error alone', async (_what, argv) => {
    const { stdout, stderr, code } = await converse([builtProgram(), 'mcp', ...argv], SESSION, HOME);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^cairn: /);
    expect(code).toBe(2);
  });

  it('when asked for help', async () => {
    const { stdout, stderr, code } = await converse([builtProgram(), 'mcp', '--help'], [], HOME);
    expect([stdout, code]).toEqual(['', 0]);
    expect(stderr).toContain('--read-only');
  });

  it('in starts that follow one another quickly', async () => {
    for (let turn = 0; turn < 20; turn++) {
      const { stdout } = await converse([builtProgram(), 'mcp'], SESSION.slice(0, turn % 4), HOME);
      expect(() => protocolLines(stdout)).not.toThrow();
    }
  });
});

describe('H4 M120 standard output of a server with something wrong inside', () => {
  it('holds JSON-RPC when a dependency prints in every way there is', async () => {
    const lines = [...INITIALIZE, request('tools/call', { name: 'fixture_noisy', arguments: {} }, 2)];
    const { stdout, stderr } = await converse(typescript(FIXTURE_SERVER), lines, HOME);
    expect(protocolLines(stdout)).toHaveLength(2);
    for (const word of ['log', 'info', "'dir'", "'table'", 'group', 'write', 'worker', 'end'])
      expect(stderr).toContain(word);
  });

  it.each([
    ['prints and then throws while it loads', 'load'],
    ['throws out of turn', 'crash'],
    ['rejects out of turn', 'reject'],
  ])('holds JSON-RPC when it %s', async (_what, mode) => {
    const lines = [...INITIALIZE, request('tools/call', { name: 'fixture_echo', arguments: { text: 'a' } }, 2)];
    const { stdout, stderr } = await converse(typescript('test/mcp/support/broken-server.ts', mode), lines, HOME);
    const messages = protocolLines(stdout);
    expect(stderr).toContain('planted');
    if (mode === 'load')
      expect(messages).toMatchObject([
        { id: 1 },
        { id: 2, result: { isError: true, structuredContent: { error: { code: 'internal' } } } },
      ]);
  });

  it('holds nothing when the store folder cannot be read', async () => {
    const locked = place('locked', (path) => mkdirSync(path));
    writeFileSync(
      join(locked, 'fixture.db'),
      'this is no database, and long enough to be looked at as one'.repeat(100),
    );
    chmodSync(locked, 0o500);
    const lines = [...INITIALIZE, request('tools/call', { name: 'fixture_write', arguments: {} }, 2)];
    const { stdout } = await converse(typescript(FIXTURE_SERVER), lines, { ...HOME, FIXTURE_FOLDER: locked });
    expect(protocolLines(stdout)).toMatchObject([
      { id: 1 },
      { id: 2, result: { isError: true, structuredContent: { error: { code: 'store_damaged' } } } },
    ]);
  });
});
