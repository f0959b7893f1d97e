import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from '../../embedding/index.ts';
import { CairnError, isCairnError, throwIfCancelled } from '../../kernel/index.ts';
import { acquireLease, type LeaseHolder, releaseLease } from '../../storage/index.ts';
import type { MemoryRuntime, OpenMemory } from '../runtime.ts';
import { findSpace, type SpaceRow } from '../store/vectors.ts';
import { coverageOf, promoteIfComplete, spaceToFill } from './spaces.ts';
import { endOfPassages, findWaiting, keepVectors, type MadeVector, type WaitingPassage } from './waiting.ts';

/** Passages embedded and written together. */
const EMBED_BATCH = 32;

const LEASE = 'embed';
const LEASE_MS = 30_000;

export interface EmbedWaitingOptions {
  /** Most passages to embed; all that wait where it is absent. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** The scope's embedder; the runtime's own where it is absent. */
  readonly embedder?: Embedder;
  /** Fills a space that another one has replaced: an explicit request of a person or client. */
  readonly revive?: boolean;
  /** A query is waiting for the answer. */
  readonly priority?: 'query' | 'background';
  readonly onBatch?: (done: number) => void;
}

/**
 * `complete`: nothing waits any more. `partial`: the limit was reached, or some passages cannot be embedded.
 * `no_embedder`: no weights. `replaced`: another space took this one's place. `busy`: another process is at it.
 */
export interface EmbedWaitingResult {
  readonly outcome: 'complete' | 'partial' | 'no_embedder' | 'replaced' | 'busy';
  readonly embedded: number;
  /** Ids of entries with a passage that the embedder refuses. */
  readonly failed: readonly string[];
}

/**
 * Embeds passages that have no vector of the embedder's space, newest first, in batches that are written one by one: a
 * killed run loses one batch. A space that covers everything becomes the one that is searched. More than one batch is
 * done under a lease, so that one process at a time works through a backlog. Throws `cancelled` and what the embedder
 * throws when it stops working altogether.
 */
export async function embedWaiting(
  runtime: MemoryRuntime,
  memory: OpenMemory,
  options: EmbedWaitingOptions = {},
): Promise<EmbedWaitingResult> {
  const embedder = options.embedder ?? runtime.deps.embedder;
  const space = embedder.space();
  if (space === undefined || memory.store.readOnly) return { outcome: 'no_embedder', embedded: 0, failed: [] };
  const known = findSpace(memory.store.db, space.fingerprint);
  // The usual case costs two counts and no write.
  if (known?.state === 'active' && coverageOf(memory.store.db, known.key).waiting === 0)
    return { outcome: 'complete', embedded: 0, failed: [] };
  const row = await memory.store.write((db) =>
    spaceToFill(db, space, runtime.deps.clock.now(), options.revive === true),
  );
  if (row === undefined) return { outcome: 'replaced', embedded: 0, failed: [] };
  const backlog = new Backlog(runtime, memory, embedder, row, options);
  return backlog.run();
}

class Backlog {
  readonly #runtime: MemoryRuntime;
  readonly #memory: OpenMemory;
  readonly #embedder: Embedder;
  readonly #space: SpaceRow;
  readonly #options: EmbedWaitingOptions;
  readonly #holder: LeaseHolder;
  readonly #needsLease: boolean;
  readonly #failed = new Map<number, string>();
  #embedded = 0;

  constructor(
    runtime: MemoryRuntime,
    memory: OpenMemory,
    embedder: Embedder,
    space: SpaceRow,
    options: EmbedWaitingOptions,
  ) {
    this.#runtime = runtime;
    this.#memory = memory;
    this.#embedder = embedder;
    this.#space = space;
    this.#options = options;
    this.#holder = { owner: runtime.deps.ids.next('run'), pid: process.pid, host: hostname() };
    this.#needsLease = (options.limit ?? Number.POSITIVE_INFINITY) > EMBED_BATCH;
  }

  async run(): Promise<EmbedWaitingResult> {
    const { store } = this.#memory;
    if (this.#needsLease && !(await store.write((db) => this.#extend(db)))) return this.#result('busy');
    try {
      return await this.#work();
    } finally {
      if (this.#needsLease) await store.write((db) => releaseLease(db, LEASE, this.#holder.owner));
    }
  }

  async #work(): Promise<EmbedWaitingResult> {
    const { store } = this.#memory;
    const { signal, limit = Number.POSITIVE_INFINITY } = this.#options;
    let below = endOfPassages(store.db);
    let triedBefore = 0;
    for (;;) {
      throwIfCancelled(signal);
      const room = Math.min(EMBED_BATCH, limit - this.#embedded);
      if (room <= 0) return this.#finish();
      const { passages, next } = store.read((db) => findWaiting(db, this.#space.key, below, room));
      const todo = passages.filter(({ key }) => !this.#failed.has(key));
      if (todo.length > 0 && !(await this.#embedBatch(todo))) return this.#result('busy');
      below = next;
      if (below === 0) {
        const tried = this.#embedded + this.#failed.size;
        if (tried === triedBefore) return this.#finish();
        // What was stored meanwhile has larger keys: it is looked for from the top again.
        triedBefore = tried;
        below = endOfPassages(store.db);
      }
      await nextTurn();
    }
  }

  /** False when the lease was lost. */
  async #embedBatch(passages: readonly WaitingPassage[]): Promise<boolean> {
    const made = await this.#embed(passages);
    const { store } = this.#memory;
    const isOurs = await store.write((db) => {
      if (this.#needsLease && !this.#extend(db)) return false;
      this.#embedded += keepVectors(db, this.#space.key, made);
      promoteIfComplete(db, this.#space.key, this.#runtime.deps.clock.now());
      return true;
    });
    if (isOurs) this.#options.onBatch?.(this.#embedded);
    return isOurs;
  }

  /** A batch that fails is tried text by text, so that one of them does not keep the others from their vectors. */
  async #embed(passages: readonly WaitingPassage[]): Promise<MadeVector[]> {
    try {
      return await this.#embedTexts(passages);
    } catch (error) {
      if (!isCairnError(error) || error.code === 'cancelled' || passages.length === 1) throw error;
    }
    const made: MadeVector[] = [];
    const refused: WaitingPassage[] = [];
    let lastError: unknown;
    for (const passage of passages) {
      try {
        made.push(...(await this.#embedTexts([passage])));
      } catch (error) {
        if (!isCairnError(error) || error.code === 'cancelled') throw error;
        lastError = error;
        refused.push(passage);
      }
    }
    // Not one of them: the embedder is gone, and no text is to blame.
    if (made.length === 0) throw lastError;
    for (const { key, entryId } of refused) this.#failed.set(key, entryId);
    return made;
  }

  async #embedTexts(passages: readonly WaitingPassage[]): Promise<MadeVector[]> {
    const { signal, priority = 'background' } = this.#options;
    const texts = passages.map(({ text }) => text);
    const embedded = await this.#embedder.embed(texts, { priority, ...(signal === undefined ? {} : { signal }) });
    if (embedded.length !== passages.length)
      throw new CairnError('embedder_failed', 'The embedder gave another number of vectors than texts.');
    return passages.flatMap((passage, n) => {
      const one = embedded[n];
      return one === undefined ? [] : [{ passage, vector: one.vector, unknownShare: one.unknownShare }];
    });
  }

  /** A space may become complete without a batch: when the last waiting entry was erased. */
  async #finish(): Promise<EmbedWaitingResult> {
    const { store } = this.#memory;
    if (this.#space.state === 'filling') {
      await store.write((db) => promoteIfComplete(db, this.#space.key, this.#runtime.deps.clock.now()));
    }
    return this.#result(coverageOf(store.db, this.#space.key).waiting === 0 ? 'complete' : 'partial');
  }

  #result(outcome: EmbedWaitingResult['outcome']): EmbedWaitingResult {
    return { outcome, embedded: this.#embedded, failed: [...new Set(this.#failed.values())] };
  }

  #extend(db: Parameters<typeof acquireLease>[0]): boolean {
    return acquireLease(db, LEASE, this.#holder, { now: this.#runtime.deps.clock.now(), ttlMs: LEASE_MS });
  }
}
