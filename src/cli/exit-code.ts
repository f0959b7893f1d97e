import type { ErrorCode } from '../kernel/index.ts';

/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The command ran and what it was asked for could not be done. */
  failed: 1,
  /** The command was typed wrongly. */
  usage: 2,
  /** Stopped by Ctrl-C, as shells say it. */
  interrupted: 130,
} as const;

export function exitCodeOf(code: ErrorCode): number {
  if (code === 'invalid_input' || code === 'unknown_operation') return EXIT.usage;
  if (code === 'cancelled') return EXIT.interrupted;
  return EXIT.failed;
}
