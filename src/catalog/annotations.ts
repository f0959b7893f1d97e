import type { Effects } from '../kernel/index.ts';
import type { ToolAnnotations } from './types.ts';

/**
 * The protocol's hints from an operation's effects. A program that is only read from (`process` without `localWrite`)
 * leaves the operation read-only: hosts ask a person before every tool that is not.
 */
export function toAnnotations(effects: Effects): ToolAnnotations {
  return {
    readOnlyHint: !effects.localWrite && !effects.destructive,
    destructiveHint: effects.destructive,
    idempotentHint: effects.idempotent,
    openWorldHint: effects.network,
  };
}
