import { type RememberAnswer, remember } from '../../memory/index.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import { flag, list, text } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';
import { textOrInput } from '../standard-input.ts';
import type { Terminal } from '../terminal.ts';

function printDuplicate(terminal: Terminal, answer: RememberAnswer): void {
  const { bold, dim, yellow } = terminal.colours;
  terminal.print(
    `${yellow('Not stored')}: ${answer.duplicateOf} says nearly the same (${answer.dedup?.score?.toFixed(2)}).`,
  );
  terminal.print(`  ${dim('see it')}       ${bold(`cairn memory show ${answer.duplicateOf}`)}`);
  terminal.print(`  ${dim('keep both')}    ${bold(`cairn memory confirm ${answer.token}`)}`);
  terminal.print(`  ${dim('replace it')}   ${bold(`cairn memory confirm ${answer.token} --supersede`)}`);
}

function print(terminal: Terminal, answer: RememberAnswer, dryRun: boolean): void {
  const { bold, dim, green, yellow } = terminal.colours;
  const would = dryRun ? 'Would be ' : '';
  switch (answer.status) {
    case 'stored':
      terminal.print(
        `${green(dryRun ? 'Would be stored' : 'Stored')} ${bold(answer.id ?? '')} ${dim(`as ${answer.type}; ${answer.total} in this project`)}`,
      );
      break;
    case 'merged':
      terminal.print(`${would}${green('merged')} with ${bold(answer.id ?? '')}: the same was stored before.`);
      break;
    case 'updated':
      terminal.print(`${would}${green('updated')} ${bold(answer.id ?? '')}: same source, new content.`);
      break;
    case 'near_duplicate':
      printDuplicate(terminal, answer);
      break;
    case 'needs_confirmation':
      terminal.print(`${yellow('Waiting for a decision')}: ${bold(`cairn memory confirm ${answer.token}`)}`);
      break;
    default:
      terminal.print(answer.status);
  }
  const gates = answer.gates;
  if (gates !== undefined && !gates.passed)
    terminal.note(`It would be found more easily with: ${gates.missing.join(', ')}`);
  for (const { kind, count } of answer.redactions) terminal.note(`${count} ${kind} redacted`);
  for (const other of answer.more ?? []) terminal.print(`${other.status} ${bold(other.id ?? '')}`);
  for (const { id, score } of answer.dedup?.similar ?? []) terminal.note(`much like ${id} (${score.toFixed(2)})`);
  for (const id of answer.conflictsWith ?? [])
    terminal.note(`says the opposite of ${id}; decide with: cairn memory list --queue conflicts`);
}

/** `cairn remember`: the same decision as the tool's, by a person. */
export async function rememberCommand(
  session: CommandSession,
  words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const { terminal, context, memory } = session;
  const content = await textOrInput(words.length === 0 ? undefined : words.join(' '), 'text');
  const dryRun = flag(options, 'dryRun');
  const answer = await remember(memory(), context, {
    door: flag(options, 'strict') ? 'memory' : 'hooks',
    source: 'manual',
    content,
    context: text(options, 'context'),
    insight: text(options, 'insight'),
    action: text(options, 'action'),
    error: await textOrInput(text(options, 'error'), 'error'),
    fix: text(options, 'fix'),
    sourcePath: text(options, 'sourcePath'),
    summary: text(options, 'summary'),
    type: text(options, 'type'),
    tags: list(options, 'tag'),
    files: list(options, 'file'),
    supersedes: list(options, 'supersedes'),
    force: flag(options, 'force'),
    dryRun,
    scope: flag(options, 'user') ? 'user' : 'project',
  });
  for (const warning of answer.warnings) terminal.note(warning);
  if (answer.code !== undefined) {
    const { code, message, field, repair } = answer;
    terminal.fail({
      code,
      message: message ?? code,
      retryable: false,
      ...(field === undefined ? {} : { field }),
      ...(repair === undefined ? {} : { repair }),
    });
    return exitCodeOf(code);
  }
  const { scope, ...rest } = answer;
  terminal.printJson({ ...rest, scope: scope?.report });
  print(terminal, answer, dryRun);
  return EXIT.ok;
}
