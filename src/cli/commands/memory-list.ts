import { getEntries } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { oneOf, text, wholeNumber } from '../options.ts';
import { printEntry } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn memory list`: entries by filters, or a review queue, a page at a time. */
export async function memoryList(
  { terminal, context, memory }: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const answer = await getEntries(memory(), context, {
    form: 'plain',
    limit: wholeNumber(options, 'limit', 1, 100),
    kind: oneOf(options, 'kind', ['learning', 'error_fix']),
    type: oneOf(options, 'type', ['decision', 'context', 'project', 'code', 'general']),
    state: oneOf(options, 'state', ['active', 'quarantined', 'closed', 'superseded', 'retracted']),
    queue: oneOf(options, 'queue', [
      'pending',
      'quarantined',
      'near_duplicates',
      'conflicts',
      'never_recalled',
      'suspect',
    ]),
    order: oneOf(options, 'order', ['newest', 'oldest', 'most_recalled']),
    tag: text(options, 'tag'),
    path: text(options, 'path'),
    cursor: text(options, 'cursor'),
  });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { bold, dim } = terminal.colours;
  if (answer.entries.length === 0) {
    terminal.print(
      options['queue'] === undefined
        ? `Nothing is stored here yet. Try: ${bold('cairn remember "what was learned"')}`
        : 'This queue is empty.',
    );
    return EXIT.ok;
  }
  for (const view of answer.entries) printEntry(terminal, view);
  terminal.print(dim(`${answer.entries.length} of ${answer.total}`));
  if (answer.nextCursor !== undefined) terminal.print(dim(`more: cairn memory list … --cursor ${answer.nextCursor}`));
  return EXIT.ok;
}
