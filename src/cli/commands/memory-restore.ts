import { resolve } from 'node:path';
import { CairnError } from '../../kernel/index.ts';
import { listMemoryBackups, restoreMemory } from '../../memory/index.ts';
import { askOrFail } from '../ask.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import { describeAge } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn memory restore`: goes back to a backup; the present state is backed up first. */
export async function memoryRestore(
  { terminal, context, memory }: CommandSession,
  [file]: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const { backups, folder } = await listMemoryBackups(memory(), context, {});
  const path = file === undefined ? backups[0]?.path : resolve(context.workingDirectory, file);
  const chosen = backups.find((backup) => backup.path === path);
  if (chosen === undefined) {
    const message =
      backups.length === 0 ? `There are no backups in ${folder}.` : `${file} is none of the backups in ${folder}.`;
    throw new CairnError('not_found', message, { field: 'backup', repair: { command: 'cairn memory backup --list' } });
  }
  const question = `Go back to the state of ${describeAge(Date.now() - chosen.at)} (${chosen.reason})?`;
  if (!flag(options, 'yes') && !(await askOrFail(terminal, question, '--yes'))) {
    terminal.print('Nothing was changed.');
    return EXIT.failed;
  }
  const progress = await startProgress(terminal, 'Restoring');
  const answer = await restoreMemory(memory(), context, { backup: chosen.path });
  progress.stop('Restored');
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { green, dim } = terminal.colours;
  terminal.print(`${green('Restored')} ${answer.entries} entries from ${chosen.path}`);
  if (answer.before !== undefined) terminal.print(dim(`what was there before: ${answer.before.path}`));
  if (answer.quarantined_path !== undefined) terminal.print(dim(`the damaged file: ${answer.quarantined_path}`));
  return EXIT.ok;
}
