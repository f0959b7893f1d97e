import {
  type CacheHint,
  CLIENT_INFO_META_KEY,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { createCallGate } from '../catalog/index.ts';
import { type Connection, callTool, type Shared } from './calls.ts';
import { createLoader } from './loader.ts';
import type { ServerParts } from './parts.ts';
import { installResourceHandlers } from './resource-handlers.ts';
import { createRoots } from './roots.ts';

/** The list changes with the version alone; what a resource holds may change at any time and is of one person. */
const LIST_CACHE: CacheHint = { ttlMs: 300_000, cacheScope: 'public' };
const RESOURCE_CACHE: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/** No operation asks back through the protocol, so no state was ever given out: whatever comes in is forged or stale. */
function refuseRequestState(): never {
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState: this server gave none out.',
  );
}

/** Asked only to check what a person typed into a form; this server shows none. Keeps a schema compiler out of the start. */
const NO_FORMS: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => () => ({
    valid: false,
    data: undefined,
    errorMessage: 'this server asks no questions through forms',
  }),
};

/** One factory for both protocol eras and both transports, and what has to end with the process. */
export interface ServerCore {
  readonly factory: McpServerFactory;
  /** Resolves when no call runs. */
  idle(): Promise<void>;
  /** Closes what calls have opened; does nothing where no call was made. */
  close(): Promise<void>;
}

/** A 2026-07-28 client names itself with each request, or not at all. */
function clientOf(
  envelope: Readonly<Record<string, unknown>> | undefined,
): { name: string; version: string } | undefined {
  const info = envelope?.[CLIENT_INFO_META_KEY];
  if (typeof info !== 'object' || info === null || !('name' in info) || !('version' in info)) return undefined;
  return { name: String(info.name), version: String(info.version) };
}

function serverOptions(parts: ServerParts): ServerOptions {
  return {
    capabilities: { tools: {}, resources: {} },
    instructions: parts.instructions,
    jsonSchemaValidator: NO_FORMS,
    requestState: { verify: refuseRequestState },
    cacheHints: {
      'server/discover': LIST_CACHE,
      'tools/list': LIST_CACHE,
      'resources/list': RESOURCE_CACHE,
      'resources/templates/list': RESOURCE_CACHE,
      'resources/read': RESOURCE_CACHE,
    },
  };
}

/** Makes the factory that {@link ServerParts} describe. The list of tools is sent as given: it never varies by connection. */
export function createServerCore(parts: ServerParts): ServerCore {
  const shared: Shared = { parts, loader: createLoader(() => parts.load()), gate: createCallGate() };
  const tools = parts.tools.map((tool) => ({ ...tool }));

  const factory: McpServerFactory = ({ era }) => {
    const server = new Server({ name: 'cairn', title: 'Cairn', version: parts.version }, serverOptions(parts));
    const connection: Connection = {
      roots: createRoots(server, era, parts.log),
      client: (context) => clientOf(context.mcpReq.envelope) ?? server.getClientVersion(),
    };
    server.setRequestHandler('tools/list', () => ({ tools }) as never);
    server.setRequestHandler('tools/call', (request, context) => callTool(shared, connection, request.params, context));
    installResourceHandlers(server, shared, connection);
    return server;
  };

  return {
    factory,
    idle: () => shared.gate.idle(),
    async close() {
      const loaded = shared.loader.loaded();
      if (loaded !== undefined) await (await loaded).close();
    },
  };
}
