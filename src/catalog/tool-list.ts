import { canonicalJson, type Operation, sha256 } from '../kernel/index.ts';
import { toAnnotations } from './annotations.ts';
import { toInputSchema, toOutputSchema } from './plain-schema.ts';
import type { ListedTool } from './types.ts';

/** `underscore` is what every host accepts; `dotted` gives the names of the requirement documents where there are any. */
export type ToolNames = 'underscore' | 'dotted';

/** The operations as `tools/list` shows them, in catalog order. The list is the same in read-only mode: hosts keep it, and refusals explain themselves. */
export function toolList(operations: readonly Operation[], names: ToolNames = 'underscore'): ListedTool[] {
  return operations.map((operation) => ({
    name: names === 'dotted' ? (operation.dottedName ?? operation.name) : operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: toInputSchema(operation.input),
    outputSchema: toOutputSchema(operation.output),
    annotations: toAnnotations(operation.effects),
    ...(operation.alwaysLoad ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  }));
}

/** Names a catalog: SHA-256 over the canonical JSON of its list. Equal fingerprints are equal tools. */
export function catalogFingerprint(tools: readonly ListedTool[]): string {
  return sha256(canonicalJson(tools));
}
