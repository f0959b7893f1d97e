/**
 * The main job, shown on a real repository: one process remembers, another recalls it by a paraphrase, then the
 * official MCP client does the same over stdio and gets the finished block. Run it with `npm run demo`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const LEARNING =
  'Uploads larger than 6 MB failed silently at the proxy; nginx client_max_body_size had to be raised in infra/nginx/site.conf.';
const PARAPHRASE = 'big attachments vanish at the reverse proxy without an error';

function show(folder: string, command: string, args: readonly string[]): void {
  console.log(`\n$ ${command} ${args.map((arg) => (/[^\w./-]/.test(arg) ? JSON.stringify(arg) : arg)).join(' ')}`);
  const [file, first] = command === 'cairn' ? [process.execPath, [CLI]] : [command, []];
  process.stdout.write(execFileSync(file, [...first, ...args], { cwd: folder, encoding: 'utf8' }));
}

async function overMcp(folder: string): Promise<void> {
  const client = new Client({ name: 'cairn-demo', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp'], cwd: folder, stderr: 'inherit' }),
  );
  const call = async (name: string, input: Record<string, unknown>): Promise<void> => {
    console.log(`\n> ${name} ${JSON.stringify(input)}`);
    const result = await client.callTool({ name, arguments: input });
    for (const part of result.content as { type: string; text?: string }[]) console.log(part.text);
  };
  await call('hooks_remember', {
    content:
      "ERROR-FIX: bash: $'\\r': command not found | FIX: convert hook scripts to LF with sed and add .gitattributes eol=lf | SOURCE: docs/crlf.md — hooks fail on WSL checkouts",
    type: 'context',
  });
  await call('hooks_recall', { query: 'windows line endings break our shell hooks', top_k: 1 });
  await call('memory_recall', { workflow: 'work', text: PARAPHRASE });
  await client.close();
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-demo-'));
try {
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: folder });
  writeFileSync(join(folder, 'README.md'), '# A project\n');
  show(folder, 'cairn', ['init', '--no-link']);
  show(folder, 'cairn', ['remember', LEARNING]);
  show(folder, 'cairn', ['recall', PARAPHRASE]);
  console.log('\nThe same through the official MCP client, over stdio:');
  await overMcp(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
