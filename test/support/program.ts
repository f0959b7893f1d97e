import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The built program's entry, absolute. Throws with the build's output when there is no current build. */
export function builtProgram(): string {
  const failure = inject('buildFailure');
  if (failure !== '') throw new Error(`This test starts the built program, and there is none: ${failure}`);
  return fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
}
