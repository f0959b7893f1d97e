import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMiniLmEmbedder } from '../embedding/index.ts';
import { createIdSource, systemClock } from '../kernel/index.ts';
import { MemoryRuntime } from '../memory/index.ts';
import { createProjectResolver, findUnknownVariables } from '../project/index.ts';
import { userCacheFolder, userDataFolder, type Variables } from './user-folders.ts';
import { VERSION } from './version.ts';
import { resolveWeights } from './weights.ts';

/** Longest wait of a call for the embedder, in milliseconds. A person at a prompt waits longer than an agent's turn does. */
const EMBED_WAIT_MS = { mcp: 400, cli: 1_500 } as const;

/** `CAIRN_*` variables that some part of the program reads. */
const KNOWN_VARIABLES = ['CAIRN_PROJECT_DIR'];

export interface Composition {
  readonly surface: keyof typeof EMBED_WAIT_MS;
  readonly readOnly: boolean;
  readonly lexicalOnly?: boolean;
  readonly variables: Variables;
  /** For people, on standard error. */
  readonly log: (line: string) => void;
}

/** The folder that this bundle and the worker bundles beside it are in. */
function bundleFolder(): string {
  return dirname(fileURLToPath(import.meta.url));
}

/** Install folders of plugins, where a host says so: an agent started there is not working on the plugin. */
function pluginRoots(variables: Variables): string[] {
  return [variables['PLUGIN_ROOT'], variables['CLAUDE_PLUGIN_ROOT']].filter(
    (root) => root !== undefined && root !== '',
  ) as string[];
}

/** The memory room with the real clock, files and embedder behind it. */
export function composeMemory({ surface, readOnly, lexicalOnly = false, variables, log }: Composition): MemoryRuntime {
  const clock = systemClock;
  const resolver = createProjectResolver({
    clock,
    home: homedir(),
    temporaryRoot: tmpdir(),
    pluginRoots: pluginRoots(variables),
  });
  const unknownVariables = findUnknownVariables(variables, KNOWN_VARIABLES);
  return new MemoryRuntime({
    clock,
    ids: createIdSource(() => clock.now()),
    embedder: createMiniLmEmbedder({
      resolveWeights,
      workerPath: join(bundleFolder(), 'embedding-worker.cjs'),
      cacheDirectory: userCacheFolder(variables),
      clock,
    }),
    async locate(context, options) {
      const location = await resolver.resolve(context, options);
      return unknownVariables.length === 0
        ? location
        : { ...location, warnings: [...location.warnings, ...unknownVariables] };
    },
    storageWorker: { entry: join(bundleFolder(), 'storage-worker.cjs') },
    userDataFolder: userDataFolder(variables),
    readOnly,
    lexicalOnly,
    embedWaitMs: EMBED_WAIT_MS[surface],
    log,
    version: VERSION,
  });
}
