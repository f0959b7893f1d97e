import { CairnError } from '../../kernel/index.ts';
import { type ConfirmDecision, confirm } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag, text } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';

function decisionOf(options: Readonly<Record<string, unknown>>): ConfirmDecision {
  const named = (['discard', 'supersede', 'merge'] as const).filter((name) => flag(options, name));
  if (named.length > 1)
    throw new CairnError('invalid_input', `Choose one of ${named.map((name) => `--${name}`).join(', ')}.`);
  return named[0] ?? 'store';
}

/** `cairn memory confirm`: decides about a pending entry. */
export async function memoryConfirm(
  { terminal, context, memory }: CommandSession,
  [token = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const answer = await confirm(memory(), context, {
    token,
    decision: decisionOf(options),
    editedContent: text(options, 'content'),
    confirmedBy: 'user',
  });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { bold, green } = terminal.colours;
  terminal.print(`${green(answer.status)} ${bold(answer.id ?? '')}`.trimEnd());
  for (const id of answer.superseded) terminal.print(`it replaces ${id}`);
  return EXIT.ok;
}
