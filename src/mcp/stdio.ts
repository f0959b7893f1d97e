import type { Readable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type ProcessHost, type StopReason, stopInOrder, watchParent } from './lifecycle.ts';
import type { ProtocolOutput } from './output.ts';
import type { ServerCore } from './server.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** The SDK quotes whole messages in its errors; the log is to hold no content. */
const LOGGED_CHARS = 120;

export interface StdioHost extends ProcessHost {
  readonly input: Readable;
  readonly output: ProtocolOutput;
  log(line: string): void;
}

/** Serves one client over stdio until its input ends, its output breaks, the parent is gone or a signal comes. Resolves when all is closed. */
export async function serveOverStdio(core: ServerCore, host: StdioHost): Promise<StopReason> {
  const transport = createStdioTransport(host.input, host.output);
  const stopped = new Promise<StopReason>((resolve) => {
    host.input.once('end', () => resolve('input ended'));
    host.input.once('close', () => resolve('input ended'));
    host.input.once('error', () => resolve('input ended'));
    host.output.onError(() => resolve('output closed'));
    host.onSignal(() => resolve('signal'));
    watchParent(host, () => resolve('parent gone'));
  });
  const handle = serveStdio(core.factory, {
    transport,
    onerror: (error) => host.log(error.message.slice(0, LOGGED_CHARS)),
  });
  const reason = await stopped;
  const steps = {
    stopTaking: () => transport.stopReading(),
    answered: () => transport.answered(),
    abort: () => handle.close(),
    idle: () => core.idle(),
    close: () => core.close(),
  };
  await stopInOrder(steps, reason);
  return reason;
}
