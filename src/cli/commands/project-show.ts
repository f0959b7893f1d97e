import { existsSync } from 'node:fs';
import type { ProjectLocation } from '../../project/index.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** How the store's place was found, in words. */
const DERIVATIONS: Readonly<Record<ProjectLocation['derivedFrom'], string>> = {
  'git-common-dir': 'the repository that all its worktrees share',
  'git-dir': "the repository's own Git folder",
  submodule: "the submodule's Git folder",
  marker: 'a .cairn or .ruvector folder on the way up',
  directory: 'this folder itself, as there is no repository and no marker',
  isolate: '"isolate": true in its config.json',
};

const SOURCES: Readonly<Record<ProjectLocation['startSource'], string>> = {
  project: 'the project that was named',
  root: "the session's folder",
  'host-variable': 'CAIRN_PROJECT_DIR',
  argument: '--project',
  'working-directory': 'the working folder',
};

/** `cairn project show`: where the store of this folder is or would be, and why. Creates nothing. */
export async function projectShow({ terminal, context, memory }: CommandSession): Promise<CommandResult> {
  const location = await memory().deps.locate(context, { purpose: 'read' });
  const exists = existsSync(location.storePath);
  terminal.printJson({ ...location, exists });
  const { bold, dim, yellow } = terminal.colours;
  const line = (name: string, value: string): void => terminal.print(`${dim(name.padEnd(8))} ${value}`, 9);
  line('project', bold(location.root));
  if (location.workTree !== location.root) line('checkout', location.workTree);
  line('store', `${location.storePath}${exists ? '' : dim(' (made at the first write, or by cairn init)')}`);
  line(
    'why',
    `${DERIVATIONS[location.derivedFrom]}; started from ${SOURCES[location.startSource]} ${location.startFolder}`,
  );
  if (location.branch !== undefined)
    line(
      'branch',
      `${location.branch}${location.commit === undefined ? '' : dim(` at ${location.commit.slice(0, 12)}`)}`,
    );
  for (const { path, reason } of location.shadowed) line('unused', `${yellow(path)}: ${reason}`);
  for (const warning of location.warnings) terminal.note(warning);
  return EXIT.ok;
}
