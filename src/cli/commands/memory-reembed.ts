import { type ReembedAnswer, reembed } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** How long one call waits before its progress is shown, in milliseconds. */
const STEP_MS = 500;

function describe(answer: ReembedAnswer): string {
  switch (answer.status) {
    case 'nothing_to_do':
      return `All ${answer.total} passages have a vector.`;
    case 'planned':
      return `${answer.waiting} of ${answer.total} passages would be embedded, in about ${Math.ceil(answer.etaMs / 1000)} s.`;
    case 'complete':
      return `All ${answer.total} passages have a vector now.`;
    default:
      return `${answer.done} of ${answer.total} passages have a vector.`;
  }
}

/** `cairn memory reembed`: makes missing vectors, and all of them after a change of model. Ctrl-C keeps what is done. */
export async function memoryReembed(
  { terminal, context, memory }: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const dryRun = flag(options, 'dryRun');
  const progress = await startProgress(terminal, 'Embedding');
  let answer = await reembed(memory(), context, { dryRun, waitMs: STEP_MS });
  while (answer.status === 'running' && !context.signal.aborted) {
    progress.update(answer.done, answer.total);
    answer = await reembed(memory(), context, { waitMs: STEP_MS });
  }
  progress.stop('Embedded');
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  if (answer.error !== undefined) {
    terminal.fail(answer.error);
    return EXIT.failed;
  }
  terminal.print(describe(answer));
  for (const id of answer.failed) terminal.print(`${terminal.colours.yellow('could not be embedded')} ${id}`);
  return context.signal.aborted ? EXIT.interrupted : EXIT.ok;
}
