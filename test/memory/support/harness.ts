import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeEmbedder, type Embedder } from '../../../src/embedding/index.ts';
import { createIdSource, ManualClock, type RequestContext } from '../../../src/kernel/index.ts';
import { MemoryRuntime } from '../../../src/memory/index.ts';
import { createProjectResolver } from '../../../src/project/index.ts';

/** A runtime over real files in a temporary folder, with a clock that tests move. */
export interface MemoryHarness {
  readonly runtime: MemoryRuntime;
  readonly context: RequestContext;
  readonly clock: ManualClock;
  readonly project: string;
  readonly home: string;
  /** Another process's view: the same files, nothing shared in memory. */
  another(options?: Partial<HarnessOptions>): MemoryHarness;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly embedder: Embedder;
  readonly clock: ManualClock;
  readonly readOnly: boolean;
  /** Folder below the temporary one that is the project. */
  readonly project: string;
}

/** Makes a harness in `folder`, which the caller removes. Without an embedder the fake one is used. */
export function createHarness(folder: string, options: Partial<HarnessOptions> = {}): MemoryHarness {
  const home = join(folder, 'home');
  const project = join(folder, options.project ?? 'project');
  mkdirSync(home, { recursive: true });
  mkdirSync(project, { recursive: true });
  const clock = options.clock ?? new ManualClock();
  const resolver = createProjectResolver({ clock, home, temporaryRoot: join(folder, 'tmp') });
  const runtime = new MemoryRuntime({
    clock,
    ids: createIdSource(() => clock.now()),
    embedder: options.embedder ?? createFakeEmbedder(),
    locate: (context, wanted) => resolver.resolve(context, wanted),
    userDataFolder: join(home, 'data'),
    readOnly: options.readOnly ?? false,
    embedWaitMs: 400,
    log: () => undefined,
    version: '0.0.0-test',
  });
  const context: RequestContext = {
    signal: new AbortController().signal,
    surface: 'mcp',
    workingDirectory: project,
    roots: [],
    session: 'session-1',
    client: { name: 'test-client', version: '1.0.0' },
  };
  return {
    runtime,
    context,
    clock,
    project,
    home,
    another: (more = {}) => createHarness(folder, { ...options, clock, ...more }),
    close: () => runtime.close(),
  };
}
