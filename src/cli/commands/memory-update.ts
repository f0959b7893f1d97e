import { CairnError } from '../../kernel/index.ts';
import { updateEntry } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { list, oneOf, text } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn memory update`: changes an entry in place; its old text stays in the history. */
export async function memoryUpdate(
  { terminal, context, memory }: CommandSession,
  [id = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const change = {
    type: oneOf(options, 'type', ['decision', 'context', 'project', 'code', 'general']),
    tags: list(options, 'tag'),
    content: text(options, 'content'),
    // commander gives `pin` for --pin and --no-pin alike, and nothing for neither.
    pinned: typeof options['pin'] === 'boolean' ? options['pin'] : undefined,
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new CairnError('invalid_input', 'Say what to change: --type, --tag, --content, --pin or --no-pin.');
  }
  const answer = await updateEntry(memory(), context, { id, ...change });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  terminal.print(`${answer.status === 'updated' ? terminal.colours.green('Updated') : 'Unchanged'} ${answer.id}`);
  return EXIT.ok;
}
