import { CairnError } from '../kernel/index.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks before something that cannot be undone. Without a person at the terminal it throws `invalid_input` that names
 * the flag, rather than guess.
 */
export async function askOrFail(terminal: Terminal, question: string, flag: string): Promise<boolean> {
  if (!terminal.interactive) {
    throw new CairnError('invalid_input', `${question} Nobody is here to be asked: add ${flag} to go on.`);
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}
