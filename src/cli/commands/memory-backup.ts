import { backUp, listMemoryBackups } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import { describeAge } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';

async function list({ terminal, context, memory }: CommandSession): Promise<CommandResult> {
  const answer = await listMemoryBackups(memory(), context, {});
  terminal.printJson(answer);
  if (answer.backups.length === 0) terminal.print('There are no backups yet. Make one: cairn memory backup');
  for (const { path, at, reason, bytes } of answer.backups) {
    terminal.print(
      `${path}  ${terminal.colours.dim(`${describeAge(Date.now() - at)}, ${reason}, ${Math.ceil(bytes / 1000)} kB`)}`,
    );
  }
  return EXIT.ok;
}

/** `cairn memory backup`: a consistent copy while others go on writing; `--list` shows those there are. */
export async function memoryBackup(
  session: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  if (flag(options, 'list')) return list(session);
  const { terminal, context, memory } = session;
  const runtime = memory();
  const scope = await runtime.forRead(context, {});
  const progress = await startProgress(terminal, 'Copying');
  const backup = scope.memory === undefined ? undefined : await backUp(runtime, scope.memory, 'manual');
  progress.stop('Copied');
  terminal.printJson({ backup: backup ?? null });
  terminal.print(
    backup === undefined
      ? 'Nothing is stored here yet, so there is nothing to back up.'
      : `${terminal.colours.green('Backed up')} to ${backup.path}`,
  );
  return EXIT.ok;
}
