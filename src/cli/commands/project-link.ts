import { linkMarker, type MarkerLinks } from '../../project/index.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandResult, CommandSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** Says what a request for links did. */
export function printLinks(terminal: Terminal, links: MarkerLinks): void {
  const { dim, green, yellow } = terminal.colours;
  for (const path of links.created) terminal.print(`${green('Linked')} ${path}`);
  for (const path of links.present) terminal.print(dim(`${path} leads to the store already`));
  for (const { path, reason } of links.skipped) terminal.print(`${yellow('Left alone')} ${path}: ${reason}`);
  if (links.excludedIn !== undefined) terminal.print(dim(`Git ignores the link by ${links.excludedIn}`));
}

/** `cairn project link`: a `.ruvector` link to the store, for commands that test for that folder. */
export async function projectLink({ terminal, context, memory }: CommandSession): Promise<CommandResult> {
  const location = await memory().deps.locate(context, { purpose: 'write' });
  const links = linkMarker(location);
  terminal.printJson(links);
  printLinks(terminal, links);
  return links.skipped.length > 0 && links.created.length + links.present.length === 0 ? EXIT.failed : EXIT.ok;
}
