import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/catalog/index.ts';
import { BUDGETS } from '../../src/kernel/index.ts';
import { INSTRUCTIONS } from '../../src/mcp/index.ts';
import { builtProgram } from '../support/program.ts';
import {
  cleanEnvironment,
  converse,
  FIXTURE_SERVER,
  INITIALIZE,
  protocolLines,
  ROOT,
  request,
  start,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const PRELOAD = ['--require', join(ROOT, 'test/mcp/support/no-world.cjs')];

/** Sockets that a process holds beyond its three standard streams, which are socket pairs of the test itself. */
function ownSockets(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => Number(fd) > 2)
    .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    .filter((target) => target.startsWith('socket:'));
}

function childrenOf(pid: number): string {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
    .join('')
    .trim();
}

describe('M118 a default session over stdio', () => {
  it('opens no socket, asks no name and starts no process', async () => {
    const project = join(folder.path, 'project');
    mkdirSync(join(project, '.cairn'), { recursive: true });
    const env = cleanEnvironment(folder.path, { CAIRN_PROJECT_DIR: project });
    const running = start([...PRELOAD, builtProgram(), 'mcp'], { env, cwd: project });
    const call = (name: string, args: object, id: number) => request('tools/call', { name, arguments: args }, id);
    const { tools } = await loadGenerated();
    const learned =
      'Context: the watcher of the build missed files. Insight: the folder was mounted later. Action: poll it.';
    const used = [
      call('hooks_remember', { content: learned }, 10),
      call('memory_recall', { text: 'why does the build watcher not see a change', workflow: 'debug' }, 11),
      call('hooks_recall', { query: 'build watcher' }, 12),
      call('hooks_stats', {}, 13),
    ];
    const calls = [...used, ...tools.map(({ name }, index) => call(name, {}, 20 + index))];
    const lists = ['tools/list', 'resources/list', 'resources/templates/list'].map((method, index) =>
      request(method, {}, 2 + index),
    );
    running.child.stdin.write([...INITIALIZE, ...lists, ...calls].map((line) => `${line}\n`).join(''));
    await Promise.all(
      [2, 3, 4, ...used.map((_, index) => 10 + index), ...tools.map((_, index) => 20 + index)].map((id) =>
        running.seen(`"id":${id}}`),
      ),
    );
    const pid = running.child.pid ?? 0;
    if (process.platform === 'linux') expect([ownSockets(pid), childrenOf(pid)]).toEqual([[], '']);
    running.child.stdin.end();
    const { stderr, stdout } = await running.ended;
    expect(stderr).not.toContain('OUTSIDE');
    const answers = protocolLines(stdout);
    expect(answers).toHaveLength(4 + calls.length);
    expect(answers.find(({ id }) => id === 10)).toMatchObject({ result: { structuredContent: { stored: true } } });
  });

  it('is watched by something that does see a socket and a process', async () => {
    const script = `
      require('node:net').connect({ path: '/nowhere' });`;
    const { stderr, code } = await converse([...PRELOAD, '-e', script], [], cleanEnvironment(folder.path));
    expect([stderr.includes('OUTSIDE connect'), code]).toEqual([true, 1]);
    const child = await converse(
      [...PRELOAD, '-e', `require('node:child_process').spawn('true')`],
      [],
      cleanEnvironment(folder.path),
    );
    expect(child.stderr).toContain('OUTSIDE spawn');
  });
});

describe('a session', () => {
  const converseWith = (argv: string[], lines: string[], more: Record<string, string> = {}) =>
    converse(
      typescript(FIXTURE_SERVER, ...argv),
      [...INITIALIZE, ...lines],
      cleanEnvironment(folder.path, { FIXTURE_FOLDER: folder.path, ...more }),
    );
  const context = request('tools/call', { name: 'fixture_context', arguments: {} }, 2);

  it('hands on the host variable, the project argument and the client, its own variable first', async () => {
    const { stdout } = await converseWith(['--project', '/work/project'], [context], {
      CAIRN_PROJECT_DIR: '/host/own',
      CLAUDE_PROJECT_DIR: '/host/other',
    });
    expect(protocolLines(stdout)[1]).toMatchObject({
      result: { structuredContent: { host: '/host/own', project: '/work/project', client: 'lines', roots: [] } },
    });
    const other = await converseWith([], [context], { CLAUDE_PROJECT_DIR: '/host/other' });
    expect(protocolLines(other.stdout)[1]).toMatchObject({ result: { structuredContent: { host: '/host/other' } } });
  });

  it('that is read-only keeps its list and refuses what writes, naming the flag', async () => {
    const lines = [
      request('tools/list', {}, 2),
      request('tools/call', { name: 'fixture_write', arguments: {} }, 3),
      request('tools/call', { name: 'fixture_echo', arguments: { text: 'a' } }, 4),
    ];
    const [plain, readOnly] = await Promise.all([
      converseWith([], [lines[0] ?? '']),
      converseWith(['--read-only'], lines),
    ]);
    const answer = (stdout: string, id: number) => protocolLines(stdout).find((line) => line['id'] === id)?.['result'];
    expect(answer(readOnly.stdout, 2)).toEqual(answer(plain.stdout, 2));
    expect(answer(readOnly.stdout, 3)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'read_only', message: expect.stringContaining('--read-only') } },
    });
    expect(answer(readOnly.stdout, 4)).toMatchObject({ structuredContent: { text: 'a' } });
  });

  it('lists dotted names when told to, and takes both forms always', async () => {
    const calls = ['fixture.echo', 'fixture_echo'].map((name, index) =>
      request('tools/call', { name, arguments: { text: 'a' } }, 3 + index),
    );
    const { stdout } = await converseWith(['--tool-names', 'dotted'], [request('tools/list', {}, 2), ...calls]);
    const lines = protocolLines(stdout);
    expect(JSON.stringify(lines.find(({ id }) => id === 2))).toContain('"name":"fixture.echo"');
    expect(lines.filter(({ id }) => id === 3 || id === 4)).toMatchObject([
      { result: { structuredContent: { success: true } } },
      { result: { structuredContent: { success: true } } },
    ]);
  });
});

describe('M119 the tools of the product over the official client', () => {
  it('are the generated ones, with instructions within their budget', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [builtProgram(), 'mcp'],
        env: cleanEnvironment(folder.path),
        stderr: 'ignore',
      }),
    );
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools)).toBe(JSON.stringify((await loadGenerated()).tools));
    expect(tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad']).map(({ name }) => name)).toEqual([
      'memory_recall',
    ]);
    expect(client.getInstructions()).toBe(INSTRUCTIONS);
    expect(Buffer.byteLength(INSTRUCTIONS)).toBeLessThanOrEqual(BUDGETS.instructionsBytes);
    await client.close();
  });
});
