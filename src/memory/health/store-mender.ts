import { statSync } from 'node:fs';
import { type RecoverOptions, recoverStore } from '../../storage/index.ts';

interface Attempt {
  readonly result: Promise<void>;
  /** Size and time of the file when the attempt failed. */
  stamp?: string;
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'absent' : `${stat.size}:${stat.mtimeMs}`;
}

/**
 * Recovers damaged stores, one attempt at a time for each. A store that could not be recovered is not tried again, and
 * not copied to quarantine again, until its file has changed: every call would cost seconds and a copy otherwise.
 */
export class StoreMender {
  readonly #optionsOf: (path: string) => RecoverOptions;
  readonly #attempts = new Map<string, Attempt>();

  constructor(optionsOf: (path: string) => RecoverOptions) {
    this.#optionsOf = optionsOf;
  }

  /** Resolves when the store is sound (again); rejects with `store_damaged` where too little could be saved. */
  mend(path: string): Promise<void> {
    const known = this.#attempts.get(path);
    if (known !== undefined && (known.stamp === undefined || known.stamp === stampOf(path))) return known.result;
    const attempt: Attempt = { result: this.#recover(path) };
    this.#attempts.set(path, attempt);
    attempt.result.then(
      () => this.#attempts.delete(path),
      () => {
        attempt.stamp = stampOf(path);
      },
    );
    return attempt.result;
  }

  /** Waits for a recovery that is under way; one that failed is told by opening the store. */
  async settled(path: string): Promise<void> {
    const attempt = this.#attempts.get(path);
    if (attempt !== undefined && attempt.stamp === undefined) await Promise.allSettled([attempt.result]);
  }

  async #recover(path: string): Promise<void> {
    await recoverStore(this.#optionsOf(path));
  }
}
