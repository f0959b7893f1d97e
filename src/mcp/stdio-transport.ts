import type { Readable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { createLineSplitter, type Line, MAX_LINE_BYTES } from './lines.ts';
import type { ProtocolOutput } from './output.ts';

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * A stdio transport that answers what it cannot read. The SDK's own drops a malformed line without a word, and closes
 * the connection on one that is too long.
 */
export interface StdioTransport extends Transport {
  /** Takes no more messages; what is being answered goes on. */
  stopReading(): void;
  /** Resolves when every request that came in has been answered or cancelled. */
  answered(): Promise<void>;
}

interface Refusal {
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
}

type Reading = { readonly message: JSONRPCMessage } | { readonly refusal: Refusal };

function refuse(code: number, message: string, id: string | number | null = null): Reading {
  return { refusal: { id, code, message } };
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || Number.isSafeInteger(value.id) ? (value.id as string | number) : null;
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as SyntaxError).message };
  }
}

function readLine(line: Line): Reading {
  if (line.kind === 'tooLong') return refuse(INVALID_REQUEST, `A message is longer than ${MAX_LINE_BYTES} bytes.`);
  const json = parseJson(line.text);
  if ('problem' in json) return refuse(PARSE_ERROR, `Not JSON: one message per line is expected. ${json.problem}`);
  if (Array.isArray(json.value))
    return refuse(INVALID_REQUEST, 'Batches are no part of this protocol: send one message per line.');
  try {
    return { message: parseJSONRPCMessage(json.value) };
  } catch {
    // The schema's own message lists every branch of a union; the rule says it shorter
    return refuse(
      INVALID_REQUEST,
      'Not a JSON-RPC 2.0 message: "jsonrpc", "method" and an "id" that is a string or an integer are expected.',
      idOf(json.value),
    );
  }
}

export function createStdioTransport(input: Readable, output: ProtocolOutput): StdioTransport {
  const split = createLineSplitter();
  const unanswered = new Set<string | number>();
  let waiters: (() => void)[] = [];
  let closed = false;

  function settle(id: string | number | undefined | null): void {
    if (id !== undefined && id !== null) unanswered.delete(id);
    if (unanswered.size > 0) return;
    for (const wake of waiters) wake();
    waiters = [];
  }

  function deliver(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) unanswered.add(message.id);
      else if (message.method === 'notifications/cancelled')
        settle((message.params as { requestId?: string | number } | undefined)?.requestId);
    }
    transport.onmessage?.(message);
  }

  function onData(chunk: Uint8Array): void {
    for (const line of split(chunk)) {
      const reading = readLine(line);
      if ('message' in reading) {
        deliver(reading.message);
        continue;
      }
      const { id, code, message } = reading.refusal;
      transport.onerror?.(new Error(message));
      output
        .write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
        .catch((error: Error) => transport.onerror?.(error));
    }
  }

  const transport: StdioTransport = {
    async start() {
      input.on('data', onData);
    },
    async send(message) {
      try {
        await output.write(`${JSON.stringify(message)}\n`);
      } finally {
        if (!('method' in message)) settle(message.id);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      transport.stopReading();
      transport.onclose?.();
    },
    stopReading() {
      input.off('data', onData);
      input.pause();
    },
    answered() {
      return unanswered.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
    },
  };
  return transport;
}
