import { statSync } from 'node:fs';
import { CairnError, type Clock, isCairnError, throwIfCancelled } from '../kernel/index.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import type { EmbeddedText, Embedder, EmbedderState, Space } from './embedder.ts';
import { PASS_TOKENS } from './model/encoder.ts';
import { loadTokenizer } from './model/load-model.ts';
import { fingerprintOf } from './space.ts';
import type { Tokenizer } from './tokenizer/word-piece.ts';
import { missing, readHeaderOf } from './weights/header.ts';
import { SHAPE, type WeightsHeader } from './weights/layout.ts';
import type { WeightsLocation } from './weights/location.ts';
import type { Failure, JobResult } from './worker/messages.ts';
import { startWorker, type WorkerHost } from './worker/worker-host.ts';

const DEFAULT_IDLE_MS = 300_000;
/** Shorter than the 500 ms after which a recall tries once more. */
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 60_000;

export interface MiniLmOptions {
  /** Where the weights package lies; `undefined` while it is not installed. Asked again with back-off. */
  readonly resolveWeights: () => WeightsLocation | undefined;
  /** The built `worker.ts`. */
  readonly workerPath: string | URL;
  readonly clock: Clock;
  /** Where a passed check of the weights is remembered; without it each start of the worker checks. */
  readonly cacheDirectory?: string;
  /** The worker ends after so many milliseconds without work; 5 minutes. */
  readonly idleMs?: number;
}

/** The weights as they were found. `identity` changes when the file is replaced. */
interface Found {
  readonly location: WeightsLocation;
  readonly identity: string;
  readonly space: Space;
}

/** Size and modification time; empty where there is no such file. */
function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.size}:${stat.mtimeMs}`;
}

function spaceOf(header: WeightsHeader, location: WeightsLocation): Space {
  return fingerprintOf({
    provider: 'cairn-minilm',
    model: header.model,
    revision: header.revision,
    dimension: SHAPE.hidden,
    pooling: 'mean',
    normalised: true,
    queryPrefix: '',
    passagePrefix: '',
    maxTokens: PASS_TOKENS,
    weightsHash: location.weightsSha256,
  });
}

function toEmbedded({ vectors, tokens, unknownShares }: JobResult): EmbeddedText[] {
  return tokens.map((count, i) => ({
    vector: vectors.slice(i * SHAPE.hidden, (i + 1) * SHAPE.hidden),
    tokens: count,
    unknownShare: unknownShares[i] ?? 0,
  }));
}

class MiniLmEmbedder implements Embedder {
  readonly #options: MiniLmOptions;
  readonly #missing: Backoff = createBackoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  readonly #crashed: Backoff = createBackoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  #found: Found | undefined;
  /** Why the weights were refused, and which file that was. */
  #refused: { readonly error: CairnError; readonly path: string; readonly identity: string } | undefined;
  #lastMissing: CairnError | undefined;
  #tokenizer: Tokenizer | undefined;
  #host: WorkerHost | undefined;
  #isReady = false;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: MiniLmOptions) {
    this.#options = options;
  }

  space(): Space | undefined {
    return this.#find()?.space;
  }

  state(): EmbedderState {
    if (this.#host !== undefined) return this.#isReady ? 'ready' : 'warming';
    const found = this.#find();
    if (this.#refused !== undefined) return 'damaged';
    if (found === undefined) return 'missing';
    return this.#crashed.isDue(this.#now()) ? 'cold' : 'failed';
  }

  warm(): void {
    // A refusal is kept in the state; whoever needs a vector gets it from `embed`.
    if (!this.#isClosed && this.#find() !== undefined && this.#crashed.isDue(this.#now())) this.#ensureHost();
  }

  async embed(
    texts: readonly string[],
    options: { readonly priority: 'query' | 'background'; readonly signal?: AbortSignal },
  ): Promise<EmbeddedText[]> {
    throwIfCancelled(options.signal);
    if (texts.length === 0) return [];
    const host = this.#ensureHost();
    this.#stopIdleTimer();
    return toEmbedded(await host.run(texts, options.priority, options.signal));
  }

  countTokens(text: string): number | undefined {
    const found = this.#find();
    if (found === undefined) return undefined;
    this.#tokenizer ??= this.#guard(found.location.vocabulary, () => loadTokenizer(found.location));
    return this.#tokenizer?.count(text);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endHost();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  /** The running worker, or a new one. Errors: whatever stands in the way, coded. */
  #ensureHost(): WorkerHost {
    if (this.#isClosed) throw new CairnError('embedder_failed', 'The embedder is closed.');
    if (this.#host !== undefined) return this.#host;
    const found = this.#find();
    if (this.#refused !== undefined) throw this.#refused.error;
    if (found === undefined) throw this.#lastMissing ?? missing(undefined);
    if (!this.#crashed.isDue(this.#now())) {
      throw new CairnError(
        'embedder_failed',
        'The embedding worker stopped a moment ago and is not started again yet.',
      );
    }
    const { workerPath, cacheDirectory } = this.#options;
    this.#isReady = false;
    this.#host = startWorker(
      workerPath,
      { location: found.location, cacheDirectory },
      {
        onReady: () => {
          this.#isReady = true;
          this.#startIdleTimer();
        },
        onRefused: (failure) => this.#onRefused(failure, found),
        onCrash: () => {
          this.#forgetHost();
          this.#crashed.fail(this.#now());
        },
        onAnswer: (waiting) => {
          this.#crashed.reset();
          if (waiting === 0) this.#startIdleTimer();
        },
      },
    );
    return this.#host;
  }

  #onRefused({ code, message }: Failure, found: Found): void {
    this.#forgetHost();
    const error = new CairnError(code, message);
    if (code === 'embedder_missing') this.#noteMissing(error);
    else if (code === 'embedder_damaged') this.#refuse(error, found.location.weights, found.identity);
    else this.#crashed.fail(this.#now());
  }

  /** The weights, looked for where that has not been done, is due again, or the refused file was replaced. */
  #find(): Found | undefined {
    if (this.#refused !== undefined) {
      if (!this.#missing.isDue(this.#now())) return undefined;
      this.#missing.fail(this.#now());
      if (identityOf(this.#refused.path) === this.#refused.identity) return undefined;
      this.#refused = undefined;
      this.#missing.reset();
    }
    if (this.#found !== undefined || !this.#missing.isDue(this.#now())) return this.#found;
    const location = this.#options.resolveWeights();
    if (location === undefined) {
      this.#noteMissing(missing(undefined));
      return undefined;
    }
    const header = this.#guard(location.weights, () => readHeaderOf(location.weights));
    if (header === undefined) return undefined;
    this.#missing.reset();
    this.#found = { location, identity: identityOf(location.weights), space: spaceOf(header, location) };
    return this.#found;
  }

  /** What `read` gives; a coded refusal becomes the state instead. */
  #guard<T>(path: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!isCairnError(error)) throw error;
      if (error.code === 'embedder_missing') this.#noteMissing(error);
      else this.#refuse(error, path, identityOf(path));
      return undefined;
    }
  }

  #noteMissing(error: CairnError): void {
    this.#found = undefined;
    this.#lastMissing = error;
    this.#missing.fail(this.#now());
  }

  #refuse(error: CairnError, path: string, identity: string): void {
    this.#found = undefined;
    this.#tokenizer = undefined;
    this.#refused = { error, path, identity };
    this.#missing.fail(this.#now());
  }

  #startIdleTimer(): void {
    this.#stopIdleTimer();
    if (this.#host === undefined || this.#host.waiting > 0) return;
    this.#idleTimer = setTimeout(() => void this.#endHost(), this.#options.idleMs ?? DEFAULT_IDLE_MS);
    this.#idleTimer.unref();
  }

  #stopIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  #forgetHost(): void {
    this.#stopIdleTimer();
    this.#host = undefined;
    this.#isReady = false;
  }

  async #endHost(): Promise<void> {
    const host = this.#host;
    this.#forgetHost();
    await host?.close(new CairnError('embedder_failed', 'The embedder was closed while a text waited.'));
  }
}

/**
 * all-MiniLM-L6-v2 in a worker thread, started by the first call that needs it and ended when it has been idle. One
 * worker at a time; a crash fails the waiting calls and the next call starts a new one, with back-off.
 */
export function createMiniLmEmbedder(options: MiniLmOptions): Embedder {
  return new MiniLmEmbedder(options);
}
