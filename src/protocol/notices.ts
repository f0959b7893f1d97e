/** Lines that the protocol shows a person when memory is not there; exact, as callers look for them. */
export const NOTICES = {
  warmupFailed: '[ruvector] Warning: MCP warmup failed',
  recallUnavailable: '[ruvector] Warning: recall unavailable after retry',
  rememberFailed: '[ruvector] Warning: remember failed after retry — learning not persisted',
} as const;

export type NoticeName = keyof typeof NOTICES;

/** The same notice under this server's own label, for the `memory_*` operations. */
export function cairnNotice(name: NoticeName): string {
  return NOTICES[name].replace('[ruvector]', '[cairn]');
}
