import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { toErrorShape } from '../kernel/index.ts';
import { type Connection, type Shared, toRequestContext } from './calls.ts';
import type { ResourceProvider } from './resources.ts';

async function provider(shared: Shared): Promise<ResourceProvider | undefined> {
  return (await shared.loader.get()).resources;
}

/** A coded error keeps its message; anything else becomes a plain internal error, with its text in the log alone. */
function toProtocolError(fault: unknown, log: (line: string) => void): ProtocolError {
  if (fault instanceof ProtocolError) return fault;
  const shape = toErrorShape(fault);
  if (shape.code === 'internal')
    log(`a resource failed: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}`);
  return new ProtocolError(ProtocolErrorCode.InternalError, shape.message, shape);
}

/** Installs the `resources/*` handlers over whatever provider has been composed; without one the lists are empty. */
export function installResourceHandlers(server: Server, shared: Shared, connection: Connection): void {
  async function answer<T>(body: (resources: ResourceProvider | undefined) => Promise<T>): Promise<T> {
    try {
      return await body(await provider(shared));
    } catch (fault) {
      throw toProtocolError(fault, shared.parts.log);
    }
  }
  const contextOf = (context: ServerContext) => toRequestContext(shared, connection, context);

  server.setRequestHandler('resources/templates/list', () =>
    answer(async (resources) => ({
      resourceTemplates: (resources?.templates() ?? []).map((template) => ({ ...template })),
    })),
  );
  server.setRequestHandler('resources/list', (request, context) =>
    answer(async (resources) => {
      const page = await resources?.list(await contextOf(context), request.params?.cursor);
      return {
        resources: (page?.resources ?? []).map((resource) => ({ ...resource })),
        ...(page?.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    }),
  );
  server.setRequestHandler('resources/read', (request, context) =>
    answer(async (resources) => {
      const { uri } = request.params;
      const text = await resources?.read(uri, await contextOf(context));
      if (text === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Nothing has the address ${uri.slice(0, 200)}.`, {
          uri,
        });
      return { contents: [{ ...text }] };
    }),
  );
}
