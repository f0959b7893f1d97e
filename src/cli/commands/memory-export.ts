import { resolve } from 'node:path';
import { exportMemory } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { oneOf } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn memory export`: everything into a file (or a folder of Markdown) that only its owner may read. */
export async function memoryExport(
  { terminal, context, memory }: CommandSession,
  [file = '']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const progress = await startProgress(terminal, 'Writing');
  const answer = await exportMemory(memory(), context, {
    path: resolve(context.workingDirectory, file),
    format: oneOf(options, 'format', ['jsonl', 'markdown', 'ruvector']) ?? 'jsonl',
  });
  progress.stop('Written');
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  for (const { kind, count } of answer.redactions) terminal.note(`${count} ${kind} redacted`);
  terminal.print(
    `${terminal.colours.green('Written')} ${answer.entries} entries to ${terminal.colours.bold(answer.path)}`,
  );
  return EXIT.ok;
}
