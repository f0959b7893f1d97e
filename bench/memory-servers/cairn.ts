import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, temporaryFolder } from '../support/folders.ts';
import { seedStore } from '../support/seed-store.ts';
import type { MemoryServer } from './memory-server.ts';

/** What `cairn recall --json --all` prints, as far as it is read here. */
interface RecallOutput {
  readonly results: readonly { readonly content: string }[];
}

/** A line of our own export, as far as it is read here. */
interface ExportedLine {
  readonly revision?: { readonly text: string };
}

/** Cairn as it was built last (`dist/`), with an empty home. Throws where there is no build. */
export function cairnServer(): MemoryServer {
  const program = join(ROOT, 'dist/cli.js');
  if (!existsSync(program)) throw new Error('no dist/cli.js; run `npm run build` first');
  const environment = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder() };
  return {
    label: 'Cairn',
    serverArguments: [program, 'mcp'],
    environment,
    rememberCommand: (content, type) => [program, 'remember', '--type', type, '--json', content],
    recallCommand: (query) => [program, 'recall', '--json', '--all', query],
    readFirstFinding: (output) => (JSON.parse(output) as RecallOutput).results[0]?.content,
    async prepareProject(folder) {
      execFileSync('git', ['init', '-q'], { cwd: folder });
    },
    seed: seedStore,
    storeFiles: (folder) => ['memory.db', 'memory.db-wal'].map((name) => join(folder, '.cairn', name)),
    async readStored(folder, contents) {
      const file = join(temporaryFolder(), 'export.jsonl');
      execFileSync(process.execPath, [program, 'memory', 'export', file], {
        cwd: folder,
        env: { ...environment },
        stdio: 'pipe',
      });
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const present = new Set(lines.map((line) => (JSON.parse(line) as ExportedLine).revision?.text));
      return new Set(contents.filter((content) => present.has(content)));
    },
  };
}
