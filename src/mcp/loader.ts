/** Loads once and keeps the result; a failure is not kept, so that the next call tries again. */
export interface Loader<T> {
  get(): Promise<T>;
  /** What has been loaded, if anything has; never starts loading. */
  loaded(): Promise<T> | undefined;
}

export function createLoader<T>(load: () => Promise<T>): Loader<T> {
  let pending: Promise<T> | undefined;
  return {
    get() {
      if (pending === undefined) {
        const attempt = load();
        pending = attempt;
        attempt.catch(() => {
          pending = undefined;
        });
      }
      return pending;
    },
    loaded: () => pending,
  };
}
