import { resolve } from 'node:path';
import { CairnError, type RequestContext } from '../kernel/index.ts';
import type { StartSource } from './location.ts';
import { resolveFolder } from './paths.ts';

/** One folder that a call may start from. */
export interface StartFolder {
  readonly source: StartSource;
  /** As it was given. */
  readonly given: string;
  /** Absolute with links resolved. */
  readonly folder: string;
}

/** The folders that a call may start from, and those that were named and are not there. */
export interface StartFolders {
  readonly found: readonly StartFolder[];
  readonly missing: readonly { readonly source: StartSource; readonly given: string }[];
}

/**
 * All start folders in the order in which they count. A `project` that the call names must exist: falling back to
 * another project would answer a question that was not asked.
 */
export function findStartFolders(context: RequestContext, project: string | undefined): StartFolders {
  const named: { source: StartSource; given: string }[] = [];
  const add = (source: StartSource, given: string | undefined): void => {
    if (given !== undefined && given !== '') named.push({ source, given });
  };
  add('project', project);
  for (const root of context.roots) add('root', root);
  add('host-variable', context.hostProjectDirectory);
  add('argument', context.projectArgument);
  add('working-directory', context.workingDirectory);

  const found: StartFolder[] = [];
  const missing: { source: StartSource; given: string }[] = [];
  for (const { source, given } of named) {
    const folder = resolveFolder(resolve(context.workingDirectory, given));
    if (folder !== undefined) found.push({ source, given, folder });
    else if (source === 'project') throw noSuchProject(given);
    else missing.push({ source, given });
  }
  return { found, missing };
}

function noSuchProject(given: string): CairnError {
  return new CairnError(
    'no_project',
    `The folder ${JSON.stringify(given)} does not exist; name one that does, or leave project out.`,
    {
      field: 'project',
    },
  );
}
