import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { HttpHost } from './http-host.ts';
import { isAuthorized } from './http-token.ts';
import { type StopReason, stopInOrder, watchParent } from './lifecycle.ts';
import { MAX_LINE_BYTES } from './lines.ts';
import type { ServerCore } from './server.ts';

const PATH = '/mcp';
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }));
}

/** Serves any number of clients on one loopback address; resolves when a stop was asked for and all is closed. */
export async function runHttpServer(core: ServerCore, host: HttpHost): Promise<StopReason> {
  const handler = createMcpHandler(core.factory, {
    maxRequestBodySize: MAX_LINE_BYTES,
    onerror: (error) => host.log(error.message.slice(0, 120)),
  });
  const serve = toNodeHandler(handler, {
    maxRequestBodySize: MAX_LINE_BYTES,
    onerror: (error) => host.log(error.message.slice(0, 120)),
  });
  const hasLocalHost = hostHeaderValidation(LOCAL_NAMES);
  const hasLocalOrigin = originValidation(LOCAL_NAMES);

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (!hasLocalHost(request, response) || !hasLocalOrigin(request, response)) return;
    // Not by URL: it throws on what any page may send, such as `//`.
    if (request.url?.split('?')[0] !== PATH) {
      refuse(response, 404, `The server is at ${PATH}.`);
      return;
    }
    if (host.token !== undefined && !isAuthorized(request.headers.authorization, host.token)) {
      const challenge = { 'www-authenticate': 'Bearer' };
      refuse(response, 401, 'A bearer token is needed; the server printed where it is kept.', challenge);
      return;
    }
    serve(request as Parameters<typeof serve>[0], response).catch((error: Error) => {
      host.log(error.message.slice(0, 120));
      response.destroy();
    });
  }

  // Before anybody can know that the server is there
  const stopped = new Promise<StopReason>((resolve) => {
    host.onSignal(() => resolve('signal'));
    if (host.endsWithParent) watchParent(host, () => resolve('parent gone'));
  });
  const server = createServer(onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(host.address.port, host.address.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  host.onListening(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}${PATH}`);

  const reason = await stopped;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await stopInOrder(
    {
      stopTaking: () => server.closeIdleConnections(),
      answered: () => core.idle(),
      abort: async () => {
        await handler.close();
        server.closeAllConnections();
        await closed;
      },
      idle: () => core.idle(),
      close: () => core.close(),
    },
    reason,
  );
  return reason;
}
