import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, temporaryFolder } from '../support/folders.ts';
import { seedStore } from '../support/seed-store.ts';
import type { MemoryServer } from './memory-server.ts';
import { recall, startServer } from './session.ts';

/** Cairn as it was built last (`dist/`), with an empty home. Throws where there is no build. */
export function cairnServer(): MemoryServer {
  const program = join(ROOT, 'dist/cli.js');
  if (!existsSync(program)) throw new Error('no dist/cli.js; run `npm run build` first');
  const home = temporaryFolder();
  const server: MemoryServer = {
    label: 'Cairn',
    serverArguments: [program, 'mcp'],
    environment: { PATH: process.env['PATH'] ?? '', HOME: home },
    rememberCommand: (content, type) => [program, 'remember', '--type', type, '--json', content],
    recallCommand: (query) => [program, 'recall', '--json', query],
    async prepareProject(folder) {
      execFileSync('git', ['init', '-q'], { cwd: folder });
    },
    seed: seedStore,
    storeFiles: (folder) => ['memory.db', 'memory.db-wal'].map((name) => join(folder, '.cairn', name)),
    async readStored(folder, contents) {
      const process = startServer(server, folder);
      await process.open();
      const kept = new Set<string>();
      for (const content of contents) {
        const found = await recall(process, content);
        if (found.some((finding) => finding.content === content)) kept.add(content);
      }
      await process.close();
      return kept;
    },
  };
  return server;
}
