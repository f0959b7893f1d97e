import type { Terminal } from './terminal.ts';

/** A line that moves while something takes long. Draws nothing where no person is looking. */
export interface Progress {
  update(done: number, total: number | undefined): void;
  stop(message: string): void;
}

/** Work that is over sooner needs no line, in milliseconds. */
const SHOW_AFTER_MS = 700;

/** Starts a progress line with a title; it appears once the work has taken over half a second. */
export async function startProgress(terminal: Terminal, title: string): Promise<Progress> {
  if (!terminal.interactive) return { update: () => undefined, stop: () => undefined };
  const { spinner } = await import('@clack/prompts');
  const line = spinner({ output: process.stderr });
  let shown = false;
  let text = title;
  const timer = setTimeout(() => {
    shown = true;
    line.start(text);
  }, SHOW_AFTER_MS);
  return {
    update(done, total) {
      text =
        total === undefined || total === 0
          ? `${title} ${done}`
          : `${title} ${done} of ${total} (${Math.floor((100 * done) / total)} %)`;
      if (shown) line.message(text);
    },
    stop(message) {
      clearTimeout(timer);
      if (shown) line.stop(message);
    },
  };
}
