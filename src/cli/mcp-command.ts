import '../mcp/stdout-guard.ts';
// Nothing stands above the guard: what is loaded after it cannot print to standard output
import { loadCatalog, loadGenerated } from '../catalog/index.ts';
import { INSTRUCTIONS } from '../mcp/index.ts';
import { runServerProcess } from './server-process.ts';
import type { Variables } from './user-folders.ts';

/** Runs `cairn mcp`. */
export async function runMcpCommand(argv: readonly string[], variables: Variables): Promise<void> {
  await runServerProcess(argv, variables, {
    instructions: INSTRUCTIONS,
    list: loadGenerated,
    load: async () => ({ catalog: await loadCatalog(), deps: {}, close: async () => undefined }),
    asksForToken: true,
  });
}
