import { isAbsolute, relative, sep } from 'node:path';
import type { ProjectLocation } from '../../project/index.ts';
import type { Draft } from '../draft.ts';

/**
 * A path as it may be stored: relative to the checkout with `/`, `undefined` for one outside of it. A file that is
 * gone keeps its path, so nothing is looked up on disk.
 */
export function toProjectPath(path: string, location: ProjectLocation | undefined): string | undefined {
  if (!isAbsolute(path)) return path.startsWith('..') ? undefined : path.replaceAll('\\', '/').replace(/^\.\//, '');
  if (location === undefined) return undefined;
  for (const folder of [location.workTree, location.root]) {
    const inside = relative(folder, path);
    if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) return inside.split(sep).join('/');
  }
  return undefined;
}

/** The draft with its files as project paths; those outside the project say nothing to another machine and are dropped. */
export function withProjectPaths(draft: Draft, location: ProjectLocation | undefined): Draft {
  if (draft.fields.files === undefined) return draft;
  const files = draft.fields.files.flatMap((path) => toProjectPath(path, location) ?? []);
  return { ...draft, fields: { ...draft.fields, files } };
}
