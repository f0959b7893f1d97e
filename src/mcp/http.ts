import { CairnError } from '../kernel/index.ts';
import type { HttpAddress, HttpHost } from './http-host.ts';
import type { StopReason } from './lifecycle.ts';
import type { ServerCore } from './server.ts';

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|::1|\[::1\])$/;
const DEFAULT_ADDRESS: HttpAddress = { host: '127.0.0.1', port: 0 };

/** Reads `host:port`, `port` or nothing. Throws `invalid_input` for anything that other machines could reach. */
export function parseHttpAddress(text: string | undefined): HttpAddress {
  if (text === undefined) return DEFAULT_ADDRESS;
  const parts = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  const host = parts?.[1] ?? DEFAULT_ADDRESS.host;
  const port = Number(parts?.[2]);
  if (parts === null || port > 65_535)
    throw new CairnError('invalid_input', `--http takes host:port or a port, not "${text}".`);
  if (!LOOPBACK.test(host)) {
    throw new CairnError('invalid_input', `--http serves this machine alone: use 127.0.0.1:${port}, not "${text}".`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

/** Serves over HTTP on a loopback address; loads what that needs. */
export async function serveOverHttp(core: ServerCore, host: HttpHost): Promise<StopReason> {
  const { runHttpServer } = await import('./http-server.ts');
  return runHttpServer(core, host);
}
