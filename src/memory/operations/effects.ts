import type { Effects } from '../../kernel/index.ts';

/** Reads the store; creates and changes nothing. */
export const READS: Effects = {
  network: false,
  localWrite: false,
  process: false,
  destructive: false,
  idempotent: true,
};

/** Adds to the store; the same call again may add more. */
export const WRITES: Effects = {
  network: false,
  localWrite: true,
  process: false,
  destructive: false,
  idempotent: false,
};
