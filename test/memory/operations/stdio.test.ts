import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { learning } from './caller.ts';

type Body = Readonly<Record<string, unknown>>;

/** A server process of its own, as a host starts it. */
async function startServer(project: string, home: string): Promise<Client> {
  const client = new Client({ name: 'memory-test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram(), 'mcp'],
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, CAIRN_PROJECT_DIR: project },
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  // The client checks structured content against the output schemas that it has listed.
  await client.listTools();
  return client;
}

/** A repository in a temporary folder, and a home beside it. */
function makeProject(): { project: string; home: string } {
  const folder = temporaryFolder();
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const path of [project, home]) mkdirSync(path);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', project]);
  return { project, home };
}

async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<{ body: Body; text: string; isError: boolean }> {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content as { type: string; text: string }[];
  return {
    body: (result.structuredContent ?? {}) as Body,
    text: content?.text ?? '',
    isError: result.isError === true,
  };
}

const NOTE = 'The release script in scripts/release.mjs needs GITHUB_TOKEN, else npm publish ends with code ENEEDAUTH.';

describe('memory tools over stdio', () => {
  it('M19, M27, M28: what one process stores the other finds and counts at its next call; what was refused neither finds', async () => {
    const { project, home } = makeProject();
    const [writer, reader] = await Promise.all([startServer(project, home), startServer(project, home)]);
    expect((await call(reader, 'hooks_stats')).body).toMatchObject({ stats: { total_memories: 0 } });
    expect(existsSync(join(project, '.cairn'))).toBe(false);
    const stored = await call(writer, 'hooks_remember', { content: NOTE, type: 'project' });
    expect(JSON.parse(stored.text)).toEqual(stored.body);
    expect(stored.body).toMatchObject({ success: true, stored: true, total: 1 });
    const refused = await call(writer, 'hooks_remember', { content: '?! …' });
    expect(refused).toMatchObject({ isError: true, body: { success: false, error: { code: 'empty_content' } } });

    const found = await call(reader, 'hooks_recall', { query: NOTE, top_k: '5' });
    expect(found.body).toMatchObject({
      results: [{ content: NOTE, type: 'project', score: 1, id: stored.body['id'] }],
    });
    for (const client of [writer, reader]) {
      expect((await call(client, 'hooks_stats')).body).toMatchObject({
        stats: { total_memories: 1, totalMemories: 1 },
        intel_path: join(project, '.cairn', 'memory.db'),
        scope: { branch: 'main', derived_from: 'git-common-dir' },
      });
    }
    await writer.close();
    const restarted = await startServer(project, home);
    expect((await call(restarted, 'hooks_recall', { query: NOTE })).body).toMatchObject({ results: [{ score: 1 }] });
  });

  it('M29: capabilities of a cold process come at once and touch no file', async () => {
    const { project, home } = makeProject();
    const client = await startServer(project, home);
    const startedAt = performance.now();
    const { body } = await call(client, 'hooks_capabilities');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(body).toMatchObject({
      success: true,
      capabilities: { sona: false, attention: false },
      protocol: { recall_floor: 0.5 },
    });
    expect(existsSync(join(project, '.cairn'))).toBe(false);
  });

  it('M119: every success of a whole life of an entry has structured content that fits its schema', async () => {
    const { project, home } = makeProject();
    const client = await startServer(project, home);
    const stored = await call(client, 'memory_remember', { ...learning('login'), event_id: 'evt-1' });
    const id = String(stored.body['id']);
    const asked = await call(client, 'memory_remember', {
      ...learning('cache'),
      source: 'review',
      signal: 'p2',
      interactive: true,
    });
    const answers = [
      stored,
      asked,
      await call(client, 'memory_confirm', { token: asked.body['token'], decision: 'store' }),
      await call(client, 'memory_recall', { workflow: 'work', text: `${learning('login').context}` }),
      await call(client, 'memory_outcome', { id, verdict: 'worked', note: 'it did' }),
      await call(client, 'memory_get', { ids: [id], detail: 'history' }),
      await call(client, 'hooks_reembed', { dry_run: true }),
      await call(client, 'memory_forget', { ids: [id], mode: 'erase' }),
    ];
    for (const { body, isError, text } of answers) {
      // Without weights a re-embedding says so and is the one failure.
      if (body['status'] === 'failed') continue;
      expect(isError, text).toBe(false);
      expect(body['status'], text).toBeDefined();
      expect(text.length).toBeLessThanOrEqual(24_000);
    }
    const [, , , recalled] = answers;
    expect(recalled?.text).toMatch(
      /^(ok|degraded): \d findings? over the floor.*\ncairn-data [0-9a-f]{16} begin\n<reflexion_context>\n/,
    );
    expect(recalled?.body['block']).not.toContain('cairn-data');

    const { resources } = await client.listResources();
    expect(resources).toHaveLength(1);
    const read = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(JSON.stringify(read.contents)).toContain('loadCache()');
    await expect(client.readResource({ uri: `cairn://memory/${id}` })).rejects.toThrow(/Nothing has the address/);
  });

  it('M21: the unknown-tool error of an old name says what replaces it', async () => {
    const { project, home } = makeProject();
    const client = await startServer(project, home);
    await expect(client.callTool({ name: 'hooks_pretrain', arguments: {} })).rejects.toThrow(/memory_remember/);
  });
});
