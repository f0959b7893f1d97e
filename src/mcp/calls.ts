import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type CallGate, type CallResult, callOperation, findOperation, unknownOperation } from '../catalog/index.ts';
import { type RequestContext, toErrorShape } from '../kernel/index.ts';
import type { Loader } from './loader.ts';
import type { LoadedParts, ServerParts } from './parts.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import type { Roots } from './roots.ts';

/** What one connection adds to a call. */
export interface Connection {
  readonly roots: Roots;
  client(context: ServerContext): { readonly name: string; readonly version: string } | undefined;
}

/** What all connections of a process share. */
export interface Shared {
  readonly parts: ServerParts;
  readonly loader: Loader<LoadedParts>;
  readonly gate: CallGate;
}

function startProgress(context: ServerContext, log: (line: string) => void): ProgressReporter | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return createProgressReporter((progress) =>
    context.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
      .catch((error: Error) => log(`progress could not be sent: ${error.message}`)),
  );
}

/** What the kernel's rooms are told about a request. */
export async function toRequestContext(
  shared: Shared,
  connection: Connection,
  context: ServerContext,
): Promise<RequestContext> {
  const client = connection.client(context);
  return {
    signal: context.mcpReq.signal,
    surface: 'mcp',
    ...shared.parts.session,
    roots: await connection.roots.get(),
    ...(client === undefined ? {} : { client: { name: client.name, version: client.version } }),
  };
}

function toToolResult(result: CallResult): CallToolResult {
  return {
    content: [{ type: 'text', text: result.text }],
    structuredContent: { ...result.structured },
    ...(result.isError ? { isError: true } : {}),
  };
}

function logFault(log: (line: string) => void, name: string, fault: unknown): void {
  log(`${name} failed: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}`);
}

type Loading = { readonly loaded: LoadedParts } | { readonly refusal: CallToolResult };

async function loadFor(shared: Shared, name: string): Promise<Loading> {
  try {
    return { loaded: await shared.loader.get() };
  } catch (fault) {
    logFault(shared.parts.log, name, fault);
    const structured = { error: toErrorShape(fault) };
    return { refusal: toToolResult({ structured, text: JSON.stringify(structured), isError: true }) };
  }
}

/** Answers `tools/call`. Only an unknown tool is a protocol error; every other failure is a result that says so. */
export async function callTool(
  shared: Shared,
  connection: Connection,
  request: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
): Promise<CallToolResult> {
  const { parts, gate } = shared;
  const loading = await loadFor(shared, request.name);
  if ('refusal' in loading) return loading.refusal;
  const { loaded } = loading;
  if (findOperation(loaded.catalog.operations, request.name) === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownOperation(loaded.catalog, request.name).message);
  }
  const progress = startProgress(context, parts.log);
  try {
    const base = await toRequestContext(shared, connection, context);
    const result = await callOperation(loaded.catalog, request.name, request.arguments, {
      deps: loaded.deps,
      context: progress === undefined ? base : { ...base, progress: progress.report },
      gate,
      readOnly: parts.readOnly,
      onFault: (fault) => logFault(parts.log, request.name, fault),
    });
    return toToolResult(result);
  } finally {
    await progress?.stop();
  }
}
