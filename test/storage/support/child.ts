import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line that begins with `text`; rejects when the process ends before. */
  seen(text: string): Promise<string>;
  /** Resolves with the exit code, or with the signal's name. */
  readonly ended: Promise<number | string>;
}

/** Starts one of the programs in `test/storage/processes/` as a process of its own. It is killed when the test ends. */
export function startChild(
  name: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly node?: string } = {},
): Child {
  const script = fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url));
  const child = spawn(options.node ?? process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(signal ?? code ?? -1);
      for (const wake of waiting) wake();
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  return {
    process: child,
    lines,
    ended,
    seen: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((one) => one.startsWith(text));
          if (line === undefined && !isOver) return;
          waiting.delete(look);
          if (line === undefined)
            reject(new Error(`the process ended without "${text}"; it said: ${lines.join(' | ')}`));
          else resolve(line);
        };
        waiting.add(look);
        look();
      }),
  };
}
