import { appendFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CairnError } from '../kernel/index.ts';
import type { ProjectLocation } from './location.ts';
import { readMarker } from './markers.ts';
import { isFolder, isNothingThere } from './paths.ts';

/** What one request for links did; all paths absolute. */
export interface MarkerLinks {
  readonly created: readonly string[];
  /** Were there already and lead to the store. */
  readonly present: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** The exclude file that got a line. */
  readonly excludedIn?: string;
}

const LINK_NAME = '.ruvector';

/** One line for the main checkout and all worktrees; without a slash at its end, because that would not match a link. */
const EXCLUDE_LINE = `/${LINK_NAME}`;

/**
 * Makes `.ruvector` a link to the store folder in the main checkout and in the checkout that the call is about, for
 * commands that test for that folder. A folder that has the name already is left alone. Git is told through
 * `info/exclude` of the repository: local, never committed, and shared by all worktrees, so `git status` stays clean.
 * Fails with `not_found` while there is no store folder.
 */
export function linkMarker(location: ProjectLocation): MarkerLinks {
  const { storeFolder, root, workTree } = location;
  if (!isFolder(storeFolder)) {
    throw new CairnError('not_found', `There is no ${storeFolder} yet.`, { repair: { command: 'cairn init' } });
  }
  const created: string[] = [];
  const present: string[] = [];
  const skipped: { path: string; reason: string }[] = [];
  for (const folder of new Set([root, workTree])) {
    const path = join(folder, LINK_NAME);
    const marker = readMarker(folder, LINK_NAME, [storeFolder]);
    if (marker.kind === 'folder' && marker.folder === storeFolder) present.push(path);
    else if (marker.kind !== 'absent')
      skipped.push({ path, reason: 'something else has this name; move it away first' });
    else {
      // Relative beside the store, so that the project can be moved; absolute from a worktree, as Git's own links are.
      const target = dirname(storeFolder) === folder ? relative(folder, storeFolder) : storeFolder;
      symlinkSync(target, path, 'junction');
      created.push(path);
    }
  }
  const excludedIn = created.length === 0 ? undefined : excludeFromGit(location.gitCommonDir);
  return { created, present, skipped, ...(excludedIn === undefined ? {} : { excludedIn }) };
}

/** Adds the line where it is missing; gives the file when it was changed. */
function excludeFromGit(commonDir: string | undefined): string | undefined {
  if (commonDir === undefined) return undefined;
  const path = join(commonDir, 'info', 'exclude');
  const text = readText(path);
  if (text.split(/\r?\n/).includes(EXCLUDE_LINE)) return undefined;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDE_LINE}\n`);
  return path;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isNothingThere(error)) return '';
    throw error;
  }
}
