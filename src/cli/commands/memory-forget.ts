import { CairnError } from '../../kernel/index.ts';
import { type ForgetRequest, forget, restoreEntries } from '../../memory/index.ts';
import { askOrFail } from '../ask.ts';
import { EXIT } from '../exit-code.ts';
import { flag, text } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';

async function restore({ terminal, context, memory }: CommandSession, ids: readonly string[]): Promise<CommandResult> {
  const answer = await restoreEntries(memory(), context, { ids });
  terminal.printJson(answer);
  for (const id of answer.restored) terminal.print(`${terminal.colours.green('Back')} ${id}`);
  for (const id of answer.missing)
    terminal.print(`${terminal.colours.yellow('Not found')} ${id}: never there, erased, or not forgotten`);
  for (const id of answer.expired)
    terminal.print(`${terminal.colours.yellow('Too late')} ${id}: forgotten more than 30 days ago`);
  for (const { id, by } of answer.occupied)
    terminal.print(`${terminal.colours.yellow('Not needed')} ${id}: ${by} says the same now`);
  return answer.restored.length === ids.length ? EXIT.ok : EXIT.failed;
}

/** `cairn memory forget`: hides entries (restorable for 30 days) or erases them for good. */
export async function memoryForget(
  session: CommandSession,
  ids: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const { terminal, context, memory } = session;
  const sourcePath = text(options, 'source');
  if (ids.length === 0 && sourcePath === undefined) {
    throw new CairnError('invalid_input', 'Say what to forget: cairn memory forget <id>, or --source <document>.', {
      field: 'id',
    });
  }
  if (flag(options, 'restore')) return restore(session, ids);
  const erase = flag(options, 'erase');
  const request: ForgetRequest = {
    mode: erase ? 'erase' : 'retract',
    ...(sourcePath === undefined ? { ids } : { sourcePath }),
    reason: text(options, 'reason'),
  };
  const plan = await forget(memory(), context, { ...request, dryRun: true });
  const count = plan.retracted.length + plan.erased.length;
  const isDryRun = flag(options, 'dryRun');
  const entries = `${count} ${count === 1 ? 'entry' : 'entries'}`;
  if (
    !isDryRun &&
    erase &&
    count > 0 &&
    !flag(options, 'yes') &&
    !(await askOrFail(terminal, `Erase ${entries} for good?`, '--yes'))
  ) {
    terminal.print('Nothing was erased.');
    return EXIT.failed;
  }
  const answer =
    isDryRun || count === 0 ? plan : await forget(memory(), context, { ...request, confirmCount: plan.erased.length });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { green, yellow, dim, bold } = terminal.colours;
  const verb = erase ? 'erase' : 'forget';
  if (isDryRun) terminal.print(`Would ${verb} ${entries}.`);
  for (const id of isDryRun ? [] : answer.retracted) {
    terminal.print(
      `${green('Forgotten')} ${id} ${dim('bring it back within 30 days:')} ${bold(`cairn memory forget --restore ${id}`)}`,
    );
  }
  for (const id of isDryRun ? [] : answer.erased) terminal.print(`${green('Erased')} ${id}`);
  if (answer.backupsRewritten > 0)
    terminal.print(dim(`${answer.backupsRewritten} backups were written anew without it`));
  if (answer.logPending) terminal.note('Another process still reads the log; the last traces leave when it is done.');
  for (const id of answer.missing) terminal.print(`${yellow('Not found')} ${id}`);
  return answer.missing.length === 0 ? EXIT.ok : EXIT.failed;
}
