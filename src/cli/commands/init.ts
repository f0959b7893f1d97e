import { existsSync } from 'node:fs';
import { linkMarker, type MarkerLinks } from '../../project/index.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandResult, CommandSession } from '../session.ts';
import { printLinks } from './project-link.ts';

/** Asks a person; a closed prompt counts as no. */
async function askForLink(): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: 'Do commands here test for a .ruvector folder? (makes a link to the store)',
    initialValue: false,
  });
  return !isCancel(answer) && answer;
}

/** `cairn init`: makes the store of this project before the first write, and on request the `.ruvector` link. */
export async function init(
  { terminal, context, memory }: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const runtime = memory();
  const location = await runtime.deps.locate(context, { purpose: 'write' });
  const existed = existsSync(location.storePath);
  const scope = await runtime.forWrite(context, {});
  // commander gives `link: true` for --link, `false` for --no-link and nothing for neither.
  const wanted =
    options['link'] ??
    (terminal.interactive && !existed && location.marker !== '.ruvector' ? await askForLink() : false);
  const links: MarkerLinks | undefined = wanted === true ? linkMarker(location) : undefined;
  terminal.printJson({
    created: !existed,
    project_id: scope.memory.store.projectId,
    root: location.root,
    store_path: location.storePath,
    shadowed: location.shadowed,
    ...(links === undefined ? {} : { links }),
  });
  const { bold, dim, green } = terminal.colours;
  terminal.print(
    existed ? `Already there: ${bold(location.storePath)}` : `${green('Ready')}: ${bold(location.storePath)}`,
  );
  terminal.print(dim('Git does not see this folder, and every worktree of the repository shares it.'));
  if (links !== undefined) printLinks(terminal, links);
  for (const { path, reason } of location.shadowed)
    terminal.note(`${path} is not used: ${reason}. To take it in: cairn memory import ${path}`);
  for (const warning of scope.warnings) terminal.note(warning);
  if (!existed) {
    terminal.print();
    terminal.print(
      `Next: ${bold('cairn remember "what was learned"')}, then ${bold('cairn recall "what you are about to do"')}`,
    );
    terminal.print(`      ${dim('and for your agent:')} ${bold('cairn mcp')}`);
  }
  return EXIT.ok;
}
