import { CairnError } from '../../kernel/index.ts';
import { recordOutcome, type Verdict } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { text } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';

const VERDICTS: readonly Verdict[] = ['worked', 'failed', 'not_applicable', 'obsolete', 'reopen'];

/** `cairn memory outcome`: says whether an entry helped, or closes and reopens it. */
export async function memoryOutcome(
  { terminal, context, memory }: CommandSession,
  [id = '', given = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const verdict = VERDICTS.find((one) => one === given);
  if (verdict === undefined)
    throw new CairnError('invalid_input', `verdict must be one of ${VERDICTS.join(', ')}, not "${given}".`, {
      field: 'verdict',
    });
  const answer = await recordOutcome(memory(), context, {
    id,
    verdict,
    replacedBy: text(options, 'replacedBy'),
    note: text(options, 'note'),
  });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { bold, dim, green } = terminal.colours;
  const what = answer.status === 'recorded' ? green('Recorded') : dim('Counted before');
  terminal.print(
    `${what} ${bold(answer.id)}: ${answer.state}, worked ${answer.worked}, failed ${answer.failed}${answer.suspect ? ', suspect' : ''}`,
  );
  return EXIT.ok;
}
