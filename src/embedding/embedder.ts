/** What names a vector space: two vectors may be compared only when every part is equal. */
export interface SpaceParts {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dimension: number;
  readonly pooling: 'mean' | 'cls';
  readonly normalised: boolean;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly maxTokens: number;
  /** SHA-256 of the weights file, hex. */
  readonly weightsHash: string;
}

export interface Space {
  /** Hash over the canonical JSON of the parts; 16 hex digits. */
  readonly fingerprint: string;
  readonly parts: SpaceParts;
}

/** `cold`: not started. `missing`: no weights found. `damaged`: weights refused. `failed`: the worker died; it comes back by itself. */
export type EmbedderState = 'none' | 'cold' | 'warming' | 'ready' | 'missing' | 'damaged' | 'failed';

export interface EmbeddedText {
  /** `dimension` float32 values, length 1. */
  readonly vector: Float32Array;
  /** Tokens after the cut, the two special ones included. */
  readonly tokens: number;
  /** Share of `[UNK]` among the tokens without the special ones, 0 to 1. */
  readonly unknownShare: number;
}

/**
 * Makes vectors. Never downloads, never blocks the event loop, never invents a vector: what cannot be embedded is an
 * error (`embedder_missing`, `embedder_damaged`, `embedder_failed`, `cancelled`).
 */
export interface Embedder {
  /** Resolves the weights if that has not been done; `undefined` while there are none. Cheap after the first call. */
  space(): Space | undefined;
  state(): EmbedderState;
  /** Starts loading in the background; returns at once, safe to call often. */
  warm(): void;
  /** Vectors in the order of `texts`. Queries overtake background batches. */
  embed(
    texts: readonly string[],
    options: { readonly priority: 'query' | 'background'; readonly signal?: AbortSignal },
  ): Promise<EmbeddedText[]>;
  /** Token count of a text before any cut, the two special tokens included; `undefined` without a vocabulary. Synchronous; the vocabulary loads on first use (about 15 ms). */
  countTokens(text: string): number | undefined;
  close(): Promise<void>;
}
