/** What one look at a part of the memory found. */
export interface Check {
  /** Stable, for programs: `integrity`, `vectors`, `backups`, … */
  readonly name: string;
  /** `warn`: works, and somebody should know. `fault`: something is wrong, and the exit code says so. */
  readonly state: 'ok' | 'warn' | 'fault';
  /** One plain sentence. */
  readonly text: string;
  /** A command, or what to do by hand. */
  readonly fix?: string;
}

export function ok(name: string, text: string): Check {
  return { name, state: 'ok', text };
}

export function warn(name: string, text: string, fix?: string): Check {
  return { name, state: 'warn', text, ...(fix === undefined ? {} : { fix }) };
}

export function fault(name: string, text: string, fix?: string): Check {
  return { name, state: 'fault', text, ...(fix === undefined ? {} : { fix }) };
}

/** `1 entry`, `2 entries`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
