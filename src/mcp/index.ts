export { type HttpAddress, type HttpHost, parseHttpAddress, serveOverHttp } from './http.ts';
export { readOrCreateToken } from './http-token.ts';
export { INSTRUCTIONS } from './instructions.ts';
export type { ProcessHost, StopReason } from './lifecycle.ts';
export type { ProtocolOutput } from './output.ts';
export type { LoadedParts, ServerParts, SessionFacts } from './parts.ts';
export type { ListedResource, ResourcePage, ResourceProvider, ResourceTemplate, ResourceText } from './resources.ts';
export { createServerCore, type ServerCore } from './server.ts';
export { type StdioHost, serveOverStdio } from './stdio.ts';
