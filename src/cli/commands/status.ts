import { readStats } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { describeAge } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';

function counts(record: Readonly<Record<string, number>>): string {
  return Object.entries(record)
    .map(([name, count]) => `${count} ${name.replace('_', '-')}`)
    .join(', ');
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `cairn status`: what is stored here and in what state. Creates nothing. */
export async function status({ terminal, context, memory }: CommandSession): Promise<CommandResult> {
  const stats = await readStats(memory(), context, {});
  terminal.printJson(stats);
  const { bold, dim, yellow } = terminal.colours;
  const line = (name: string, value: string): void => terminal.print(`${dim(name.padEnd(8))} ${value}`, 9);
  line('project', bold(stats.scope.root ?? 'user'));
  line(
    'store',
    stats.schemaVersion === undefined
      ? dim('nothing stored yet')
      : `${stats.storePath} ${dim(`(${megabytes(stats.bytes)})`)}`,
  );
  line(
    'entries',
    stats.total === 0
      ? 'none'
      : `${bold(String(stats.total))}: ${counts(stats.byKind)} ${dim(`(${counts(stats.byType)})`)}`,
  );
  if (stats.pending > 0)
    line('pending', `${yellow(String(stats.pending))} ${dim('see: cairn memory list --queue pending')}`);
  const { done, waiting } = stats.vectors;
  const search = stats.embedderKind === 'lexical' ? 'by words alone' : 'by words and meaning';
  line(
    'search',
    `${search}; ${done} passages with a vector${waiting > 0 ? yellow(`, ${waiting} without (cairn memory reembed)`) : ''}`,
  );
  if (stats.lastWriteAt !== undefined) line('written', describeAge(Date.now() - stats.lastWriteAt));
  if (stats.lastError !== undefined) line('fault', yellow(`${stats.lastError}; see: cairn doctor`));
  for (const warning of stats.warnings) terminal.note(warning);
  return EXIT.ok;
}
