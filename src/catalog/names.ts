import type { Operation } from '../kernel/index.ts';
import type { OperationCatalog } from './types.ts';

/** Hosts refuse other characters or cut longer names; see {@link PREFIXED_NAME}. */
export const TOOL_NAME = /^[a-z0-9_]{1,39}$/;

/** The longest prefix that a host puts before a name (Claude Code, for a server inside a plugin). */
export const LONGEST_PREFIX = 'mcp__plugin_cairn_cairn__';

/** What every prefixed name must match: the strictest class among the hosts. */
export const PREFIXED_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The operation that is listed under `name`, or whose dotted name it is. */
export function findOperation(operations: readonly Operation[], name: string): Operation | undefined {
  return operations.find((operation) => operation.name === name || operation.dottedName === name);
}

/** What replaces a name that no operation has; `undefined` where nothing does. */
export function findReplacement(catalog: OperationCatalog, name: string): string | undefined {
  for (const [pattern, replacement] of Object.entries(catalog.replacements)) {
    const matches = pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    if (matches) return replacement;
  }
  return undefined;
}
