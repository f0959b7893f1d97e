/**
 * The one catalogue of coded errors. Every expected failure that leaves a room is a {@link CairnError} with one of
 * these codes; the transports map them once. Broken invariants throw plain `Error`s and stop.
 */

/** What a caller may do with a code: whether the same call can succeed later without a change. */
interface ErrorKind {
  readonly retryable: boolean;
  /** One plain sentence for the reference page; the message of a thrown error says more. */
  readonly summary: string;
}

const ERROR_CATALOGUE = {
  // Input
  invalid_input: { retryable: false, summary: 'An argument is missing, unknown, of the wrong type or out of bounds.' },
  unknown_operation: { retryable: false, summary: 'No operation has this name.' },
  too_large: { retryable: false, summary: 'The input is larger than the operation accepts.' },
  // Project
  no_project: { retryable: false, summary: 'No project folder could be found for this call.' },
  ambiguous_project: { retryable: false, summary: 'The session has several projects and the call names none.' },
  path_outside_project: { retryable: false, summary: 'A path leaves the folder it must stay in.' },
  // Store
  store_damaged: { retryable: false, summary: 'The store file is damaged and could not be repaired by itself.' },
  store_locked: { retryable: true, summary: 'Another process held the write lock for longer than the wait.' },
  store_newer: { retryable: false, summary: 'The store was written by a newer version of Cairn.' },
  io_error: { retryable: true, summary: 'The file system refused a read or a write.' },
  permission_denied: { retryable: false, summary: 'The file system does not permit this access.' },
  disk_full: { retryable: false, summary: 'No space is left for the write.' },
  read_only: { retryable: false, summary: 'The store or the server is read-only.' },
  busy: { retryable: true, summary: 'Too many calls are in flight.' },
  cancelled: { retryable: true, summary: 'The caller cancelled the call.' },
  // Memory
  empty_content: { retryable: false, summary: 'The content holds no letters or digits.' },
  secret_only: { retryable: false, summary: 'Nothing is left of the content once its secrets are redacted.' },
  echo_refused: { retryable: false, summary: 'The content repeats findings that were recalled before.' },
  quality_gates: { retryable: false, summary: 'The learning misses one or more quality gates.' },
  superseded: { retryable: false, summary: 'The same text was stored before and has since been superseded.' },
  forgotten: { retryable: false, summary: 'The same text was forgotten on purpose; only a person restores it.' },
  not_found: { retryable: false, summary: 'Nothing has this id.' },
  token_expired: { retryable: false, summary: 'The confirmation token is past its expiry.' },
  token_used: { retryable: false, summary: 'The confirmation token was used before.' },
  token_mismatch: { retryable: false, summary: 'The token belongs to another project or other content.' },
  confirm_count_mismatch: { retryable: false, summary: 'Erasing several entries needs their exact number.' },
  // Embedding
  embedder_missing: { retryable: true, summary: 'The model weights are not installed.' },
  embedder_damaged: { retryable: false, summary: 'The model weights fail their checksum or self-test.' },
  embedder_failed: { retryable: true, summary: 'The embedding worker stopped.' },
  embedder_warming: { retryable: true, summary: 'The embedding worker is not ready yet.' },
  deadline: { retryable: true, summary: 'The time given to the call ran out.' },
  internal: { retryable: false, summary: 'A defect in Cairn; the log has the details.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** How a failure or a gap can be repaired: a call that is ready to send, or a command for a person. */
export type Repair =
  | {
      readonly operation: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      /** Network requests that the call will make at most; 0 for everything that is local. */
      readonly requests: number;
      readonly note?: string;
    }
  | { readonly command: string; readonly note?: string };

/** The one error shape on every surface. */
export interface ErrorShape {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly retryable: boolean;
  readonly repair?: Repair;
}

export interface CairnErrorOptions {
  readonly field?: string;
  readonly repair?: Repair;
  readonly cause?: unknown;
}

/** An expected failure with a code from {@link ERROR_CATALOGUE}. `message` says what to do instead. */
export class CairnError extends Error {
  override readonly name = 'CairnError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly repair: Repair | undefined;

  constructor(code: ErrorCode, message: string, options: CairnErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.repair = options.repair;
  }

  get retryable(): boolean {
    return ERROR_CATALOGUE[this.code].retryable;
  }

  toShape(): ErrorShape {
    return {
      code: this.code,
      message: this.message,
      ...(this.field === undefined ? {} : { field: this.field }),
      retryable: this.retryable,
      ...(this.repair === undefined ? {} : { repair: this.repair }),
    };
  }
}

export function isCairnError(value: unknown): value is CairnError {
  return value instanceof CairnError;
}

/** Any thrown value as the one error shape; what is not a {@link CairnError} becomes `internal` without its text. */
export function toErrorShape(value: unknown): ErrorShape {
  if (isCairnError(value)) return value.toShape();
  return new CairnError(
    'internal',
    'An unexpected fault inside Cairn; the server log (standard error) has the details.',
  ).toShape();
}
