import { protocolOutput } from '../mcp/stdout-guard.ts';
// Nothing stands above the guard: what is loaded after it cannot print to standard output
import { join } from 'node:path';
import { loadCatalog, loadGenerated, withDottedNames } from '../catalog/index.ts';
import { toErrorShape } from '../kernel/index.ts';
import type { ProcessHost, ServerParts } from '../mcp/index.ts';
import { MCP_USAGE, type McpArguments, parseMcpArguments } from './mcp-arguments.ts';
import { userDataFolder, type Variables } from './user-folders.ts';
import { VERSION } from './version.ts';

/** Wrong arguments, as most commands say it. */
const USAGE_EXIT_CODE = 2;

function log(line: string): void {
  process.stderr.write(`cairn: ${line}\n`);
}

function processHost(): ProcessHost {
  return {
    parentId: () => process.ppid,
    onSignal: (listener) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, listener);
    },
  };
}

async function serverParts(options: McpArguments, variables: Variables): Promise<ServerParts> {
  const { INSTRUCTIONS } = await import('../mcp/index.ts');
  const generated = await loadGenerated();
  const hostProjectDirectory = variables['CAIRN_PROJECT_DIR'] || variables['CLAUDE_PROJECT_DIR'];
  return {
    version: VERSION,
    tools: options.toolNames === 'dotted' ? withDottedNames(generated) : generated.tools,
    instructions: INSTRUCTIONS,
    session: {
      workingDirectory: process.cwd(),
      ...(hostProjectDirectory ? { hostProjectDirectory } : {}),
      ...(options.project === undefined ? {} : { projectArgument: options.project }),
    },
    readOnly: options.readOnly,
    load: async () => ({ catalog: await loadCatalog(), deps: {}, close: async () => undefined }),
    log,
  };
}

async function serve(options: McpArguments, variables: Variables): Promise<void> {
  const mcp = await import('../mcp/index.ts');
  const core = mcp.createServerCore(await serverParts(options, variables));
  if (options.http === undefined) {
    await mcp.serveOverStdio(core, { ...processHost(), input: process.stdin, output: protocolOutput, log });
    return;
  }
  const tokenPath = join(userDataFolder(variables), 'http-token');
  const address = mcp.parseHttpAddress(options.http === '' ? undefined : options.http);
  const token = mcp.readOrCreateToken(tokenPath);
  log(`bearer token: ${tokenPath}`);
  const onListening = (url: string) => log(`listening on ${url}`);
  await mcp.serveOverHttp(core, { ...processHost(), address, token, endsWithParent: !process.stdin.isTTY, onListening, log });
}

/** Runs `cairn mcp` until its client is gone, then ends the process. */
export async function runMcpCommand(argv: readonly string[], variables: Variables): Promise<void> {
  // The reader of the log may be gone before the client is
  process.stderr.on('error', () => undefined);
  try {
    const options = parseMcpArguments(argv, process.cwd());
    if (options.help) log(MCP_USAGE);
    else await serve(options, variables);
    process.exit(0);
  } catch (error) {
    const shape = toErrorShape(error);
    log(shape.code === 'internal' && error instanceof Error ? (error.stack ?? error.message) : shape.message);
    process.exit(shape.code === 'invalid_input' ? USAGE_EXIT_CODE : 1);
  }
}
