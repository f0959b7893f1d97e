import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { parseHttpAddress } from '../../src/mcp/index.ts';
import { fixtureCatalog } from './support/fixture-operations.ts';
import {
  cleanEnvironment,
  FIXTURE_SERVER,
  modern,
  type Running,
  start,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
let server: Running;
let url: URL;
let tokenPath: string;
let token: string;

beforeAll(async () => {
  const env = cleanEnvironment(folder.path, { FIXTURE_FOLDER: folder.path, XDG_DATA_HOME: join(folder.path, 'data') });
  server = start(typescript(FIXTURE_SERVER, '--http', '127.0.0.1:0'), { env });
  await server.seen('listening on');
  url = new URL(/listening on (\S+)/.exec(server.stderr())?.[1] ?? '');
  tokenPath = /bearer token: (\S+)/.exec(server.stderr())?.[1] ?? '';
  token = readFileSync(tokenPath, 'utf8').trim();
});

afterAll(() => {
  server.child.kill('SIGKILL');
  folder.remove();
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A raw request, so that every header can be wrong. */
function post(body: object, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: modern() };
const LIST_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

describe('the HTTP server', () => {
  it('keeps its token in a file that only its user can read, and prints the path but not the token', () => {
    expect(tokenPath).toBe(join(folder.path, 'data/cairn/http-token'));
    expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(server.stderr()).not.toContain(token);
    expect(server.stdout()).toBe('');
    expect(url.hostname).toBe('127.0.0.1');
  });

  it.each(['legacy', { pin: '2026-07-28' }] as const)(
    'gives the official client the same tools and calls (%j)',
    async (mode) => {
      const client = new Client({ name: 'http', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      );
      const { tools } = await client.listTools();
      expect(JSON.stringify(tools)).toBe(JSON.stringify(generateCatalog(fixtureCatalog.operations).tools));
      const { structuredContent } = await client.callTool({ name: 'fixture.echo', arguments: { text: 'over http' } });
      expect(structuredContent).toEqual({ success: true, text: 'over http' });
      await client.close();
    },
  );

  it('answers a request that names everything rightly', async () => {
    const { status, body } = await post(LIST, LIST_HEADERS);
    expect(status).toBe(200);
    expect(body).toContain('fixture_echo');
  });

  it.each<[string, Record<string, string>, number]>([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: `Bearer ${'x'.repeat(43)}` }, 401],
    ['another scheme', { authorization: 'Basic abc' }, 401],
    ['a foreign host', { host: 'attacker.example' }, 403],
    ['a foreign host with our port', { host: 'attacker.example:80' }, 403],
    ['a foreign origin', { origin: 'https://attacker.example' }, 403],
    ['no origin at all that can be read', { origin: 'null' }, 403],
    ['a version that the body does not have', { 'mcp-protocol-version': '2025-11-25' }, 400],
    ['a method that the body does not have', { 'mcp-method': 'tools/call' }, 400],
  ])('refuses %s', async (_what, headers, status) => {
    const answer = await post(LIST, { ...LIST_HEADERS, ...headers });
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain('fixture_echo');
  });

  it('refuses a tool name in the header that the body does not have, and runs nothing', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: modern({ name: 'fixture_write', arguments: {} }),
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'fixture_echo' };
    expect((await post(call, headers)).status).toBe(400);
    expect(server.stderr()).not.toContain('first row');
  });

  it('aborts a call whose client goes away', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: modern({ name: 'fixture_slow', arguments: { ms: 60_000 } }),
    };
    const controller = new AbortController();
    const headers = {
      ...LIST_HEADERS,
      'mcp-method': 'tools/call',
      'mcp-name': 'fixture_slow',
      authorization: `Bearer ${token}`,
    };
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = fetch(url, {
      method: 'POST',
      body: JSON.stringify(call),
      headers: { ...headers, ...types },
      signal: controller.signal,
    });
    await server.seen('slow started');
    controller.abort();
    await expect(answer).rejects.toThrow();
    await server.seen('slow aborted');
  });

  it('knows no other path, and no body over its limit', async () => {
    const { status } = await fetch(new URL('/other', url), { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(404);
    const large = await post({ ...LIST, padding: 'x'.repeat(5 * 1024 * 1024) }, LIST_HEADERS).catch(() => ({
      status: 413,
    }));
    expect(large.status).toBe(413);
  });

  it('is not reachable by another address of this machine', async () => {
    const elsewhere = new URL(url);
    elsewhere.hostname = '127.0.0.2';
    await expect(fetch(elsewhere)).rejects.toThrow();
  });

  it('keeps the token over starts, and refuses one that others can read', async () => {
    const env = cleanEnvironment(folder.path, { XDG_DATA_HOME: join(folder.path, 'data') });
    const again = start(typescript(FIXTURE_SERVER, '--http'), { env });
    await again.seen('listening on');
    expect(readFileSync(tokenPath, 'utf8').trim()).toBe(token);
    again.child.kill('SIGTERM');
    expect((await again.ended).code).toBe(0);
    const open = join(folder.path, 'open/cairn/http-token');
    const first = start(typescript(FIXTURE_SERVER, '--http'), {
      env: { ...env, XDG_DATA_HOME: join(folder.path, 'open') },
    });
    await first.seen('listening on');
    first.child.kill('SIGTERM');
    await first.ended;
    writeFileSync(open, 'x'.repeat(43));
    chmodSync(open, 0o644);
    const refused = start(typescript(FIXTURE_SERVER, '--http'), {
      env: { ...env, XDG_DATA_HOME: join(folder.path, 'open') },
    });
    const { code, stderr } = await refused.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('chmod 600');
  });

  it('ends on SIGTERM while a stream is open', async () => {
    const seenBefore = server.stderr().split('slow aborted').length;
    const call = post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: modern({ name: 'fixture_slow', arguments: { ms: 60_000 } }),
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'fixture_slow' },
    ).catch(() => 'cut');
    while (server.stderr().split('slow started').length <= seenBefore) await sleep(20);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    await call;
    expect(server.stderr().split('slow aborted')).toHaveLength(seenBefore + 1);
  });
});

describe('the address', () => {
  it.each([
    [undefined, { host: '127.0.0.1', port: 0 }],
    ['8123', { host: '127.0.0.1', port: 8123 }],
    ['localhost:8123', { host: 'localhost', port: 8123 }],
    ['[::1]:8123', { host: '::1', port: 8123 }],
  ])('%s is read', (text, address) => {
    expect(parseHttpAddress(text)).toEqual(address);
  });

  it.each([
    '0.0.0.0:1',
    'example.org:1',
    '127.0.0.1.example.org:1',
    '127.0.0.1',
    '127.0.0.1:99999',
    '[::]:1',
    '1270.0.0.1:1x',
  ])('%s is refused', (text) => {
    expect(() => parseHttpAddress(text)).toThrow(/--http/);
  });
});
