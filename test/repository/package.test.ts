import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { builtProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = 60_000;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Packs a package as it would be published, without running its scripts. */
function pack(folder: string, destination: string): Packed & { readonly path: string } {
  const options = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const answer = JSON.parse(execFileSync('npm', options, { cwd: folder, encoding: 'utf8' })) as unknown;
  const [packed] = Object.values(answer as object) as [Packed];
  return { ...packed, path: join(destination, packed.filename) };
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home };
}

describe('the packages', () => {
  it('hold what runs and what explains it, and neither sources nor tests', () => {
    builtProgram();
    const folder = temporaryFolder();
    const main = pack(ROOT, folder);
    const paths = main.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'LICENSE', 'README.md', 'dist/cli.js', 'dist/main.cjs']),
    );
    expect(paths.filter((path) => /^(src|test|bench|scripts|packages)\//.test(path))).toEqual([]);
    expect(readFileSync(join(ROOT, 'dist/cli.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const weights = pack(join(ROOT, 'packages/minilm'), folder).files.map(({ path }) => path);
    expect(weights).toEqual(
      expect.arrayContaining(['LICENSE', 'PROVENANCE.md', 'all-minilm-l6-v2.bin', 'index.js', 'vocab.txt']),
    );
  });

  it(
    'install together into an empty folder without scripts; the command and the server run from there',
    async () => {
      builtProgram();
      const folder = temporaryFolder();
      const home = join(folder, 'home');
      const project = join(folder, 'project');
      const installed = join(folder, 'installed');
      for (const path of [home, project, installed]) mkdirSync(path);
      execFileSync('git', ['init', '-q'], { cwd: project });
      const tarballs = [pack(ROOT, folder).path, pack(join(ROOT, 'packages/minilm'), folder).path];
      const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
      execFileSync('npm', ['install', ...options, ...tarballs], { cwd: installed, stdio: 'pipe' });

      const modules = join(installed, 'node_modules');
      expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(
        expect.arrayContaining(['@photostructure', 'cairn-mcp', 'cairn-minilm']),
      );
      for (const name of ['@modelcontextprotocol', 'zod', 'commander']) {
        expect(existsSync(join(modules, name)), `${name} is bundled, not installed`).toBe(false);
      }

      const command = join(modules, '.bin/cairn');
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      const printed = execFileSync(command, ['--version'], { cwd: project, env: environment(home), encoding: 'utf8' });
      expect(printed).toContain(version);

      const client = new Client({ name: 'package-test', version: '1.0.0' });
      const transport = new StdioClientTransport({ command, args: ['mcp'], cwd: project, env: environment(home) });
      await client.connect(transport);
      try {
        expect(client.getServerVersion()).toMatchObject({ name: 'cairn', version });
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['hooks_remember', 'hooks_recall']));
        const content = 'The build cache is keyed by the lock file, so delete it after a registry change.';
        const stored = await client.callTool({ name: 'hooks_remember', arguments: { content, type: 'context' } });
        expect(stored.structuredContent).toMatchObject({ success: true, stored: true });
        const found = await client.callTool({ name: 'hooks_recall', arguments: { query: content } });
        expect(found.structuredContent).toMatchObject({ results: [{ content, score: 1 }] });
      } finally {
        await client.close();
      }
    },
    3 * MINUTES,
  );
});
