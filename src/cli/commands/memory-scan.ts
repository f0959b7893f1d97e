import { scanOldRows } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn memory scan`: finds what an older version let in, and with `--fix` takes it out; exits with 1 while something is left. */
export async function memoryScan(
  { terminal, context, memory }: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const progress = await startProgress(terminal, 'Looking');
  const answer = await scanOldRows(memory(), context, { fix: flag(options, 'fix') });
  progress.stop('Looked through all texts');
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { bold, dim, green, yellow } = terminal.colours;
  for (const { id, secrets, invisible } of answer.entries) {
    terminal.print(
      `${answer.fixed ? green('mended') : yellow('found')} ${bold(id)}  ${secrets} secrets, ${invisible} invisible characters`,
    );
  }
  if (answer.entries.length === 0) terminal.print(green('No secret and no invisible character in any text.'));
  else if (!answer.fixed) terminal.print(dim('take them out with: cairn memory scan --fix'));
  if (answer.backupsRewritten > 0) terminal.print(dim(`${answer.backupsRewritten} backups were written anew`));
  return answer.entries.length === 0 || answer.fixed ? EXIT.ok : EXIT.failed;
}
