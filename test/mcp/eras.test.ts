import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { fixtureCatalog } from './support/fixture-operations.ts';
import {
  cleanEnvironment,
  converse,
  FIXTURE_SERVER,
  modern,
  protocolLines,
  request,
  temporaryFolder,
  typescript,
} from './support/processes.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const ERAS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;

async function withClient<T>(
  era: keyof typeof ERAS,
  body: (client: Client) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  const client = new Client(
    { name: 'the-client', version: '1.2.3' },
    { versionNegotiation: { mode: ERAS[era] }, ...options },
  );
  const env = cleanEnvironment(folder.path, { FIXTURE_FOLDER: folder.path });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: typescript(FIXTURE_SERVER), env, stderr: 'ignore' }),
  );
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

describe.each(['2025-11-25', '2026-07-28'] as const)('the official client in the era of %s', (era) => {
  it('calls, reads and is refused as in the other era', async () => {
    await withClient(era, async (client) => {
      expect(client.getServerVersion()).toMatchObject({ name: 'cairn' });
      expect(client.getInstructions()).toBe('Fixture operations.');
      const { tools } = await client.listTools();
      expect(tools).toEqual(generateCatalog(fixtureCatalog.operations).tools);

      const good = await client.callTool({ name: 'fixture_echo', arguments: { text: 'a', times: 2 } });
      expect(good.structuredContent).toEqual({ success: true, text: 'a a' });
      expect(good.content).toEqual([{ type: 'text', text: '{"success":true,"text":"a a"}' }]);
      expect(good.isError ?? false).toBe(false);
      const bad = await client.callTool({ name: 'fixture_echo', arguments: { text: '' } });
      expect(bad).toMatchObject({
        isError: true,
        structuredContent: { success: false, error: { code: 'invalid_input', field: 'text' } },
      });
      await expect(client.callTool({ name: 'fixture_old', arguments: {} })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Use fixture_echo instead.'),
      });
      const told = await client.callTool({ name: 'fixture_context', arguments: {} });
      expect(told.structuredContent).toMatchObject({ client: 'the-client', roots: [] });
    });
  });

  it('reads resources in pages, and a missing one is -32602', async () => {
    await withClient(era, async (client) => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([{ uriTemplate: 'fixture://note/{id}', name: 'note' }]);
      const { resources } = await client.listResources();
      expect(resources.map(({ name }) => name)).toEqual(['one', 'two']);
      const { contents } = await client.readResource({ uri: 'fixture://note/two' });
      expect(contents).toEqual([{ uri: 'fixture://note/two', mimeType: 'text/plain', text: 'note two' }]);
      await expect(client.readResource({ uri: 'fixture://note/none' })).rejects.toMatchObject({ code: -32602 });
      await expect(client.readResource({ uri: 'fixture://note/broken' })).rejects.toMatchObject({
        message: expect.stringContaining('damaged'),
      });
    });
  });

  it('gets progress while a call runs, each value greater than the one before', async () => {
    await withClient(era, async (client) => {
      const seen: number[] = [];
      const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
      await client.callTool({ name: 'fixture_slow', arguments: { ms: 50 } }, { onprogress });
      expect(seen).toEqual([0, 2]);
    });
  });
});

describe('roots', () => {
  it('are asked for once, handed on as paths, and asked for again when they change', async () => {
    await withClient(
      '2025-11-25',
      async (client) => {
        let roots = [{ uri: 'file:///work/a%20b' }, { uri: 'file://elsewhere/c' }];
        let asked = 0;
        client.setRequestHandler('roots/list', () => {
          asked++;
          return { roots };
        });
        const rootsSeen = async () => {
          const { structuredContent } = await client.callTool({ name: 'fixture_context', arguments: {} });
          return (structuredContent as { roots: string[] }).roots;
        };
        expect(await rootsSeen()).toEqual(['/work/a b']);
        expect(await rootsSeen()).toEqual(['/work/a b']);
        expect(asked).toBe(1);
        roots = [{ uri: 'file:///work/c' }];
        await client.sendRootsListChanged();
        expect(await rootsSeen()).toEqual(['/work/c']);
        expect(asked).toBe(2);
      },
      { capabilities: { roots: { listChanged: true } } },
    );
  });
});

describe('the two eras on the wire', () => {
  const run = (...lines: string[]) => converse(typescript(FIXTURE_SERVER), lines, cleanEnvironment(folder.path));
  const resultOf = (stdout: string, id: number) => protocolLines(stdout).find((line) => line['id'] === id);

  it('H1 list the same tools byte for byte', async () => {
    const legacy = await run(
      request(
        'initialize',
        { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        1,
      ),
      request('tools/list', {}, 2),
    );
    const stateless = await run(request('tools/list', modern(), 2));
    const bytes = JSON.stringify(generateCatalog(fixtureCatalog.operations).tools);
    for (const { stdout } of [legacy, stateless]) {
      const result = resultOf(stdout, 2)?.['result'] as { tools: unknown } | undefined;
      expect(JSON.stringify(result?.tools)).toBe(bytes);
    }
    expect(resultOf(stateless.stdout, 2)?.['result']).toMatchObject({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'public',
    });
  });

  it('H1 refuse an unknown version with the supported ones, and a request without the required keys', async () => {
    const { stdout } = await run(
      request('tools/list', modern({}, '2031-01-01'), 2),
      request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, 3),
    );
    expect(resultOf(stdout, 2)?.['error']).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
    expect(resultOf(stdout, 3)?.['error']).toMatchObject({ code: -32602 });
  });

  it('answer server/discover with instructions and capabilities', async () => {
    const { stdout } = await run(request('server/discover', modern(), 2));
    expect(resultOf(stdout, 2)?.['result']).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {} },
      instructions: 'Fixture operations.',
    });
  });

  it('H2 refuse any requestState, since none is given out, and do nothing', async () => {
    const { stdout } = await run(
      request('tools/call', modern({ name: 'fixture_write', arguments: { rows: 1 }, requestState: 'forged' }), 2),
    );
    expect(resultOf(stdout, 2)?.['error']).toMatchObject({
      code: -32602,
      message: expect.stringContaining('requestState'),
    });
    expect(stdout).not.toContain('written');
  });
});
