import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/server';

/** A client that declares roots and does not answer is not waited for any longer than this, in milliseconds. */
const ROOTS_TIMEOUT_MS = 2_000;

/** The session's folders as the client gives them. */
export interface Roots {
  /** Absolute paths; empty where the client has none, or does not answer. */
  get(): Promise<readonly string[]>;
}

function toPath(uri: string): string[] {
  if (!uri.startsWith('file:')) return [];
  try {
    return [fileURLToPath(uri)];
  } catch {
    // A file address with a foreign host or a bad escape names no folder here
    return [];
  }
}

/**
 * Asks for the roots with the first call that needs them and keeps them until the client says that they changed. Only
 * 2025-era clients have roots; in 2026-07-28 they are deprecated and the project comes from elsewhere.
 */
export function createRoots(server: Server, era: 'legacy' | 'modern', log: (line: string) => void): Roots {
  if (era === 'modern') return { get: async () => [] };
  let known: Promise<readonly string[]> | undefined;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    known = undefined;
  });
  async function ask(): Promise<readonly string[]> {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    try {
      const { roots } = await server.listRoots({}, { timeout: ROOTS_TIMEOUT_MS });
      return roots.flatMap((root) => toPath(root.uri));
    } catch (error) {
      known = undefined;
      log(`roots/list failed: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }
  return {
    get() {
      known ??= ask();
      return known;
    },
  };
}
