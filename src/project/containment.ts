import { dirname, join, relative, resolve, sep } from 'node:path';
import { CairnError } from '../kernel/index.ts';
import { hasEntry, isWithin, resolveLinks } from './paths.ts';

/** A path that is known to lie inside a folder. */
export interface ContainedPath {
  /** Relative to the folder's resolved path, with `/`; empty for the folder itself. */
  readonly relative: string;
  /** Absolute with links resolved, as far as the path exists. */
  readonly absolute: string;
}

/**
 * Resolves a path against a folder and refuses it with `path_outside_project` when it leads out: by `..`, as an absolute
 * path, through a link, or through a link to nowhere. The path itself need not exist.
 */
export function containPath(root: string, path: string): ContainedPath {
  const top = resolveLinks(root);
  if (top === undefined || path.includes('\0')) throw outside(root, path);
  const absolute = resolveExisting(resolve(top, path));
  if (absolute === undefined || !isWithin(top, absolute)) throw outside(root, path);
  return { relative: relative(top, absolute).split(sep).join('/'), absolute };
}

/** Resolves links in the part of a path that exists; undefined when a link on the way leads nowhere. */
function resolveExisting(path: string): string | undefined {
  const resolved = resolveLinks(path);
  if (resolved !== undefined) return resolved;
  if (hasEntry(path)) return undefined;
  const parent = dirname(path);
  if (parent === path) return undefined;
  const above = resolveExisting(parent);
  return above === undefined ? undefined : join(above, path.slice(parent.length).replace(/^[/\\]+/, ''));
}

function outside(root: string, path: string): CairnError {
  return new CairnError(
    'path_outside_project',
    `${JSON.stringify(path)} leads out of ${root}; name a path inside it.`,
    { field: 'path' },
  );
}
