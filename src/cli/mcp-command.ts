import '../mcp/stdout-guard.ts';
// Nothing stands above the guard: what is loaded after it cannot print to standard output
import { loadCatalog, loadGenerated } from '../catalog/index.ts';
import { INSTRUCTIONS, type LoadedParts } from '../mcp/index.ts';
import type { McpArguments } from './mcp-arguments.ts';
import { runServerProcess } from './server-process.ts';
import type { Variables } from './user-folders.ts';

/** What calls need: the operations, the rooms behind them, and the work that goes on beside the calls. */
async function loadParts({ readOnly }: McpArguments, variables: Variables): Promise<LoadedParts> {
  const [catalog, { composeMemory }, { createMemoryResources, startBackground }] = await Promise.all([
    loadCatalog(),
    import('./compose.ts'),
    import('../memory/index.ts'),
  ]);
  const memory = composeMemory({
    surface: 'mcp',
    readOnly,
    variables,
    log: (line) => process.stderr.write(`cairn: ${line}\n`),
  });
  const background = startBackground(memory);
  return {
    catalog,
    deps: { memory },
    resources: createMemoryResources(async () => memory),
    async close() {
      await background.stop();
      await memory.close();
    },
  };
}

/** Runs `cairn mcp`. */
export async function runMcpCommand(argv: readonly string[], variables: Variables): Promise<void> {
  await runServerProcess(argv, variables, {
    instructions: INSTRUCTIONS,
    list: loadGenerated,
    load: (options) => loadParts(options, variables),
    asksForToken: true,
  });
}
