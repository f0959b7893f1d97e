import { type EntryView, getEntries } from '../../memory/index.ts';
import { EXIT } from '../exit-code.ts';
import { printEntry } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';

interface Row {
  readonly at: string;
  readonly [name: string]: unknown;
}

function rows(view: EntryView, name: string): readonly Row[] {
  const value = view[name];
  return Array.isArray(value) ? (value as Row[]) : [];
}

function printDetails(terminal: Terminal, view: EntryView): void {
  const { dim } = terminal.colours;
  const line = (name: string, value: string): void => terminal.print(`  ${dim(name.padEnd(10))} ${value}`, 13);
  for (const name of ['trust', 'workflow', 'superseded_by', 'valid_to']) {
    const value = view[name];
    if (typeof value === 'string') line(name.replace('_', ' '), value);
  }
  for (const name of ['tags', 'files']) {
    const value = view[name];
    if (Array.isArray(value) && value.length > 0) line(name, value.join(', '));
  }
  const outcomes = view['outcomes'] as { readonly worked: number; readonly failed: number } | undefined;
  if (outcomes !== undefined && outcomes.worked + outcomes.failed > 0)
    line('outcomes', `worked ${outcomes.worked}, failed ${outcomes.failed}`);
  for (const { at, source, branch, commit, file, host } of rows(view, 'provenance')) {
    const from = [source, host, branch, typeof commit === 'string' ? commit.slice(0, 12) : undefined, file];
    line('seen', `${at}  ${from.filter((part) => part !== undefined).join('  ')}`);
  }
  for (const { at, op, actor } of rows(view, 'events')) line('event', `${at}  ${String(op)} by ${String(actor)}`);
  for (const { n, at, content } of rows(view, 'revisions').slice(1))
    line(`was (${String(n)})`, `${at}  ${String(content)}`);
}

/** `cairn memory show`: entries whole, with where they came from and what happened to them. */
export async function memoryShow(
  { terminal, context, memory }: CommandSession,
  ids: readonly string[],
): Promise<CommandResult> {
  const answer = await getEntries(memory(), context, { ids, detail: 'history', form: 'plain' });
  terminal.printJson(answer);
  for (const warning of answer.warnings) terminal.note(warning);
  for (const view of answer.entries) {
    printEntry(terminal, view);
    printDetails(terminal, view);
  }
  for (const id of answer.missing) terminal.note(`There is no entry ${id} here. See: cairn memory list`);
  return answer.missing.length === 0 ? EXIT.ok : EXIT.failed;
}
