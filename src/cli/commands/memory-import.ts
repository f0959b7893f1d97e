import { resolve } from 'node:path';
import { importMemory } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** Refused items that are shown; the rest is counted. */
const SHOWN = 10;

/** `cairn memory import`: takes a file in; what is there already is merged, so it may be repeated. */
export async function memoryImport(
  { terminal, context, memory }: CommandSession,
  [file = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const progress = await startProgress(terminal, 'Taking in');
  const answer = await importMemory(
    memory(),
    { ...context, progress: (done, total) => progress.update(done, total) },
    { path: resolve(context.workingDirectory, file), includeNoise: flag(options, 'includeNoise') },
  );
  progress.stop('Taken in');
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  const { green, yellow, dim } = terminal.colours;
  terminal.print(
    `${green('Taken in')} ${answer.imported} new, ${answer.merged} known already, ${answer.rejectedCount} refused`,
  );
  for (const { kind, count } of answer.noise) terminal.print(dim(`${count} × ${kind} left out`));
  for (const { kind, count } of answer.ignored) terminal.print(dim(`${count} × ${kind} has no place here`));
  for (const { at, reason } of answer.rejected.slice(0, SHOWN)) terminal.print(`${yellow('refused')} ${at}: ${reason}`);
  if (answer.rejectedCount > SHOWN) terminal.print(dim(`… and ${answer.rejectedCount - SHOWN} more (--json has them)`));
  if (answer.salvaged !== undefined) {
    terminal.print(yellow(`The file is damaged; ${answer.salvaged.items} whole items were read all the same.`));
    for (const problem of answer.salvaged.problems.slice(0, SHOWN)) terminal.print(dim(problem));
  }
  return EXIT.ok;
}
