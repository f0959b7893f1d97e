import { dirname, join } from 'node:path';
import type { Embedder } from '../embedding/index.ts';
import {
  CairnError,
  type Clock,
  type IdSource,
  isCairnError,
  type RequestContext,
  withinDeadline,
} from '../kernel/index.ts';
import type { ProjectLocation } from '../project/index.ts';
import {
  createBackup,
  type OpenStore,
  openStore,
  probeStore,
  type RecoverOptions,
  type Recovery,
  readMeta,
  readRecovery,
  readStoreFile,
  recordEntryCount,
  type StorageWorker,
  toProjectId,
} from '../storage/index.ts';
import { StoreMender } from './health/store-mender.ts';
import { countTruth, memoryTruth } from './health/truth.ts';
import { RecallState } from './recall/recall-state.ts';
import { MEMORY_MIGRATIONS } from './schema/migrations.ts';
import { VectorCache } from './vectors/vector-cache.ts';

/** What the memory room needs of the world; made once, in `src/cli`. */
export interface MemoryDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly embedder: Embedder;
  /** Finds the project of a call; throws `no_project` or, for writes, `ambiguous_project`. */
  readonly locate: (
    context: RequestContext,
    options: { readonly project?: string; readonly purpose: 'read' | 'write' },
  ) => Promise<ProjectLocation>;
  /** Cairn's folder in the user's data folder, absolute: the user store and all backups. */
  readonly userDataFolder: string;
  /** Refuse every write (`cairn mcp --read-only`). */
  readonly readOnly: boolean;
  /** Longest wait of a recall or remember for the embedder, in milliseconds: 400 in a server, 1,500 on the command line. */
  readonly embedWaitMs: number;
  /** Search by words alone, whatever the project says (`cairn recall --lexical`). */
  readonly lexicalOnly?: boolean;
  /** For humans, on standard error. */
  readonly log: (message: string) => void;
  /** Program version, for `hooks_capabilities`. */
  readonly version: string;
  /** Where storage runs what takes longer than 50 ms; in the calling thread where it is absent. */
  readonly storageWorker?: StorageWorker;
}

/** Whose entries a call reads or writes. */
export interface ScopeRequest {
  readonly project?: string | undefined;
  readonly scope?: 'project' | 'user' | undefined;
}

/** The scope part of every answer. */
export interface ScopeReport {
  readonly project_id?: string;
  readonly root?: string;
  readonly store_path: string;
  readonly derived_from: string;
  readonly branch?: string;
  readonly ambiguous?: boolean;
  readonly candidates?: readonly string[];
  readonly shadowed?: readonly { readonly path: string; readonly reason: string }[];
  /** The store was damaged and has been rebuilt; said by every answer until somebody acknowledges it. */
  readonly recovered?: Recovery;
}

/** A store of the running process with what is cached for it. */
export interface OpenMemory {
  readonly store: OpenStore;
  readonly vectors: VectorCache;
  readonly recall: RecallState;
}

/** Where a call goes; `memory` is absent where nothing has been stored there yet. */
export interface Scope {
  readonly report: ScopeReport;
  /** Work tree that relative paths and the branch belong to; none for the user scope. */
  readonly location?: ProjectLocation;
  readonly memory?: OpenMemory;
  /** Makes this scope's vectors; none where the project chose lexical mode (`"embedder": "none"`). */
  readonly embedder?: Embedder;
  readonly warnings: readonly string[];
}

const STORE_FILE = 'memory.db';

/** Longest wait of {@link MemoryRuntime.close} for background work, in milliseconds. */
const CLOSE_WAIT_MS = 1_500;

/** One call's use of a scope, as the background work sees it. */
export interface ScopeUse {
  readonly context: RequestContext;
  readonly request: ScopeRequest;
  readonly purpose: 'read' | 'write';
}

/** Opens stores and keeps them open; one per process. */
export class MemoryRuntime {
  readonly deps: MemoryDeps;
  readonly #open = new Map<string, Promise<OpenMemory>>();
  /** Paths of {@link #open} whose file was there when it was opened. */
  readonly #established = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #mender: StoreMender;
  readonly #tracked = new Set<Promise<unknown>>();
  readonly #listeners = new Set<(use: ScopeUse) => void>();

  constructor(deps: MemoryDeps) {
    this.deps = deps;
    this.#mender = new StoreMender((path) => this.#storeOptions(path));
  }

  /** Aborted when the runtime closes; work that outlives its call listens to it. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Work that outlives its call: {@link close} waits for its end, up to 1.5 s. */
  keepTrackOf(work: Promise<unknown>): void {
    this.#tracked.add(work);
    const forget = (): void => {
      this.#tracked.delete(work);
    };
    work.then(forget, forget);
  }

  /** Tells a listener of every use of a scope from now on; gives what ends that. */
  onUse(listener: (use: ScopeUse) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The scope of a read. Creates nothing. */
  async forRead(context: RequestContext, request: ScopeRequest): Promise<Scope> {
    this.#tell({ context, request, purpose: 'read' });
    const target = await this.#target(context, request, 'read');
    const memory = this.#isGone(target.storePath) ? undefined : await this.#opened(target.storePath, 'existing');
    return this.#scope(target, memory);
  }

  /** The scope of a write; the store is made where it is missing. Throws `read_only` and what opening can throw. */
  async forWrite(context: RequestContext, request: ScopeRequest): Promise<Scope & { readonly memory: OpenMemory }> {
    if (this.deps.readOnly)
      throw new CairnError('read_only', 'This server was started read-only; nothing was written.');
    this.#tell({ context, request, purpose: 'write' });
    const target = await this.#target(context, request, 'write');
    this.#isGone(target.storePath);
    const memory = await this.#opened(target.storePath, 'create');
    return { ...this.#scope(target, memory), memory };
  }

  /** The scope of an answer that neither reads nor writes; `undefined` where none can be found. */
  async describe(context: RequestContext, request: ScopeRequest): Promise<Scope | undefined> {
    try {
      return await this.forRead(context, request);
    } catch (error) {
      // The answer is about the input; what is wrong with the store is told by the next call that needs it.
      if (isCairnError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Lets go of a store whose file turned out to be damaged while it was open, and starts its recovery: the next call
   * waits for that and opens what came of it. On the command line there is no next call, so this one waits. Other
   * failures leave the store open.
   */
  async noteFailure(error: CairnError, context: RequestContext, request: ScopeRequest): Promise<void> {
    if (error.code !== 'store_damaged') return;
    const path = await this.storePathOf(context, request);
    this.#letGo(path);
    if (this.deps.readOnly) return;
    const recovery = this.#mender.mend(path).catch((failure: unknown) => {
      this.deps.log(`${path} could not be recovered: ${failure instanceof Error ? failure.message : String(failure)}`);
    });
    this.keepTrackOf(recovery);
    if (context.surface === 'cli') await recovery;
  }

  /** Where the store of a scope is or would be. Opens nothing. */
  async storePathOf(context: RequestContext, request: ScopeRequest): Promise<string> {
    return (await this.#target(context, request, 'read')).storePath;
  }

  /** All stores that are open now; for background work. */
  async opened(): Promise<OpenMemory[]> {
    const settled = await Promise.allSettled(this.#open.values());
    return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  /** Ends background work, closes every store and the embedder. Within 2 s. */
  async close(): Promise<void> {
    this.#stopping.abort(new CairnError('cancelled', 'The program is stopping.'));
    await withinDeadline(Promise.allSettled(this.#tracked), CLOSE_WAIT_MS, undefined);
    for (const memory of await this.opened()) {
      this.#noteCount(memory.store);
      memory.vectors.close();
      memory.store.close();
    }
    this.#open.clear();
    await this.deps.embedder.close();
  }

  async #target(
    context: RequestContext,
    request: ScopeRequest,
    purpose: 'read' | 'write',
  ): Promise<{ storePath: string; location?: ProjectLocation }> {
    if (request.scope === 'user') return { storePath: join(this.deps.userDataFolder, 'user', STORE_FILE) };
    const location = await this.deps.locate(context, {
      ...(request.project === undefined ? {} : { project: request.project }),
      purpose,
    });
    return { storePath: location.storePath, location };
  }

  /** Whether there is no file; one that was removed while it was open is let go of, so that a new one can be made. */
  #isGone(path: string): boolean {
    if (probeStore(path) !== 'absent') return false;
    // One that is just being made has no file yet.
    if (this.#established.has(path)) this.#letGo(path);
    return true;
  }

  #letGo(path: string): void {
    const opening = this.#open.get(path);
    this.#open.delete(path);
    this.#established.delete(path);
    opening?.then(
      ({ store, vectors }) => {
        vectors.close();
        store.close();
      },
      // It never opened: its own caller has been told.
      () => undefined,
    );
  }

  #opened(path: string, mode: 'create' | 'existing'): Promise<OpenMemory> {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const opening = this.#openStore(path, this.deps.readOnly ? 'read-only' : mode);
    this.#open.set(path, opening);
    opening.then(
      () => {
        if (this.#open.get(path) === opening) this.#established.add(path);
      },
      // A failed opening is tried again by the next call.
      () => {
        if (this.#open.get(path) === opening) this.#open.delete(path);
      },
    );
    return opening;
  }

  /** A damaged store is recovered first, where that is possible. */
  async #openStore(path: string, mode: 'create' | 'existing' | 'read-only'): Promise<OpenMemory> {
    await this.#mender.settled(path);
    const options = this.#storeOptions(path);
    let store: OpenStore;
    try {
      store = await openStore({ ...options, mode });
    } catch (error) {
      if (mode === 'read-only' || !isCairnError(error) || error.code !== 'store_damaged') throw error;
      await this.#mender.mend(path);
      store = await openStore({ ...options, mode });
    }
    return { store, vectors: new VectorCache(store), recall: new RecallState() };
  }

  #storeOptions(path: string): RecoverOptions {
    const { clock, ids, embedder, userDataFolder, storageWorker } = this.deps;
    const backupsOf = (projectId: string) => ({
      clock,
      folder: join(userDataFolder, 'backups', projectId),
      ...(storageWorker === undefined ? {} : { worker: storageWorker }),
    });
    return {
      path,
      clock,
      ids,
      migrations: MEMORY_MIGRATIONS,
      truth: memoryTruth({ ids, now: clock.now(), countTokens: (text) => embedder.countTokens(text) }),
      // The id of a store that cannot be opened stands in the file beside it.
      backups: backupsOf(readStoreFile(dirname(path))?.project_id ?? 'unknown'),
      beforeMigration: async (present) => {
        await createBackup(
          present,
          'migration',
          backupsOf(toProjectId(readMeta(present.db, 'project_id')) ?? 'unknown'),
        );
      },
    };
  }

  /** What damage is measured against later. A count that cannot be written is no reason not to stop. */
  #noteCount(store: OpenStore): void {
    if (store.readOnly) return;
    try {
      recordEntryCount(store, countTruth(store.db));
    } catch (error) {
      this.deps.log(`store.json of ${store.path} was not brought up to date: ${String(error)}`);
    }
  }

  #tell(use: ScopeUse): void {
    for (const listener of this.#listeners) listener(use);
  }

  #scope(target: { storePath: string; location?: ProjectLocation }, memory: OpenMemory | undefined): Scope {
    const { location, storePath } = target;
    const warnings = [...(location?.warnings ?? []), ...(memory?.store.warnings ?? [])];
    const recovered = memory === undefined ? undefined : readRecovery(memory.store.db);
    const shared = {
      ...(recovered === undefined ? {} : { recovered }),
      ...(memory === undefined ? {} : { project_id: memory.store.projectId }),
      store_path: storePath,
    };
    const report: ScopeReport =
      location === undefined
        ? { ...shared, derived_from: 'user' }
        : {
            ...shared,
            root: location.root,
            derived_from: location.derivedFrom,
            ...(location.branch === undefined ? {} : { branch: location.branch }),
            ...(location.ambiguous === true ? { ambiguous: true, candidates: location.candidates ?? [] } : {}),
            ...(location.shadowed.length === 0 ? {} : { shadowed: location.shadowed }),
          };
    return {
      report,
      ...(location === undefined ? {} : { location }),
      ...(memory === undefined ? {} : { memory }),
      ...(location?.config.embedder === 'none' || this.deps.lexicalOnly === true
        ? {}
        : { embedder: this.deps.embedder }),
      warnings,
    };
  }
}

/** Whether a failure is worth the protocol's one retry. */
export function isTransient(error: unknown): boolean {
  return isCairnError(error) && error.retryable && error.code !== 'cancelled' && error.code !== 'busy';
}
