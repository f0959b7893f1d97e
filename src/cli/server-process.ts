import '../mcp/stdout-guard.ts';
// Nothing stands above the guard: what is loaded after it cannot print to standard output
import { join } from 'node:path';
import { type GeneratedCatalog, withDottedNames } from '../catalog/index.ts';
import { toErrorShape } from '../kernel/index.ts';
import type { LoadedParts, ProcessHost, ServerParts } from '../mcp/index.ts';
import { protocolOutput } from '../mcp/stdout-guard.ts';
import { MCP_USAGE, type McpArguments, parseMcpArguments } from './mcp-arguments.ts';
import { userDataFolder, type Variables } from './user-folders.ts';
import { VERSION } from './version.ts';

/** Wrong arguments, as most commands say it. */
const USAGE_EXIT_CODE = 2;

/** Where the tools of a server come from, and what runs them. */
export interface ServerSource {
  readonly instructions: string;
  /** Loads the list; has to be cheap. */
  list(): Promise<GeneratedCatalog>;
  /** Loads what calls need; with the first call. */
  load(options: McpArguments, variables: Variables): Promise<LoadedParts>;
  /** HTTP clients have to show the token; on for everything but test servers. */
  readonly asksForToken: boolean;
}

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

async function serverParts(source: ServerSource, options: McpArguments, variables: Variables): Promise<ServerParts> {
  const generated = await source.list();
  const hostProjectDirectory = variables['CAIRN_PROJECT_DIR'] || variables['CLAUDE_PROJECT_DIR'];
  return {
    version: VERSION,
    tools: options.toolNames === 'dotted' ? withDottedNames(generated) : generated.tools,
    instructions: source.instructions,
    session: {
      workingDirectory: process.cwd(),
      ...(hostProjectDirectory ? { hostProjectDirectory } : {}),
      ...(options.project === undefined ? {} : { projectArgument: options.project }),
    },
    readOnly: options.readOnly,
    load: () => source.load(options, variables),
    log,
  };
}

async function serve(source: ServerSource, options: McpArguments, variables: Variables): Promise<void> {
  const mcp = await import('../mcp/index.ts');
  const core = mcp.createServerCore(await serverParts(source, options, variables));
  if (options.http === undefined) {
    await mcp.serveOverStdio(core, { ...processHost(), input: process.stdin, output: protocolOutput, log });
    return;
  }
  const address = mcp.parseHttpAddress(options.http === '' ? undefined : options.http);
  const tokenPath = join(userDataFolder(variables), 'http-token');
  const token = source.asksForToken ? mcp.readOrCreateToken(tokenPath) : undefined;
  if (token !== undefined) log(`bearer token: ${tokenPath}`);
  const onListening = (url: string) => log(`listening on ${url}`);
  const endsWithParent = !process.stdin.isTTY;
  await mcp.serveOverHttp(core, { ...processHost(), address, token, endsWithParent, onListening, log });
}

/** Serves by the arguments after `cairn mcp` until the client is gone, then ends the process. */
export async function runServerProcess(
  argv: readonly string[],
  variables: Variables,
  source: ServerSource,
): Promise<void> {
  // The reader of the log may be gone before the client is
  process.stderr.on('error', () => undefined);
  try {
    const options = parseMcpArguments(argv, process.cwd());
    if (options.help) log(MCP_USAGE);
    else await serve(source, options, variables);
    process.exit(0);
  } catch (error) {
    const shape = toErrorShape(error);
    log(shape.code === 'internal' && error instanceof Error ? (error.stack ?? error.message) : shape.message);
    process.exit(shape.code === 'invalid_input' ? USAGE_EXIT_CODE : 1);
  }
}
