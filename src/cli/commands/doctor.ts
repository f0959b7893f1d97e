import { acknowledgeRecovered, diagnose, rebuildDerived } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CommandResult, CommandSession } from '../session.ts';

async function rebuild({ terminal, context, memory }: CommandSession): Promise<CommandResult> {
  const progress = await startProgress(terminal, 'Making the search tables again');
  const answer = await rebuildDerived(memory(), context, {});
  progress.stop('Done');
  terminal.printJson(answer);
  terminal.print(`${terminal.colours.green('Rebuilt')} from ${answer.events} events of the log.`);
  if (answer.backup !== undefined) terminal.print(terminal.colours.dim(`what was there before: ${answer.backup}`));
  return EXIT.ok;
}

/** `cairn doctor`: looks at everything that can be wrong here and says what to do; fails where something is. */
export async function doctor(
  session: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  if (flag(options, 'rebuild')) return rebuild(session);
  const { terminal, context, memory } = session;
  if (flag(options, 'acknowledge')) await acknowledgeRecovered(memory(), context, {});
  const progress = await startProgress(terminal, 'Looking');
  const diagnosis = await diagnose(memory(), context, {});
  progress.stop('Looked at everything');
  terminal.printJson(diagnosis);
  const { bold, dim, green, red, yellow } = terminal.colours;
  const marks = { ok: green('ok   '), warn: yellow('warn '), fault: red('fault') };
  for (const { name, state, text, fix } of diagnosis.checks) {
    terminal.print(`${marks[state]} ${bold(name)}: ${text}`, 6);
    if (fix !== undefined) terminal.print(`      ${dim('do')} ${fix}`, 9);
  }
  return diagnosis.ok ? EXIT.ok : EXIT.failed;
}
