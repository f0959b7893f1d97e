import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder, isNothingThere, isWithin, resolveLinks } from './paths.ts';

/** Folder names that mark a project, in the order in which they count: ours, then that of the old engine. */
export const MARKERS = ['.cairn', '.ruvector'] as const;

export type MarkerName = (typeof MARKERS)[number];

/** What is at one marker's place. */
export type Marker =
  | { readonly kind: 'absent'; readonly path: string }
  /** A folder, or a link to one; `folder` has its links resolved. */
  | { readonly kind: 'folder'; readonly path: string; readonly folder: string; readonly isLink: boolean }
  /** Something that cannot be a store folder: a file, a link to nowhere or out of the project. */
  | { readonly kind: 'unusable'; readonly path: string; readonly reason: string; readonly isDangling: boolean };

/**
 * Looks at `<folder>/<name>`. A link may lead anywhere inside `bounds`; one that leads out is unusable, because a cloned
 * repository can carry it.
 */
export function readMarker(folder: string, name: MarkerName, bounds: readonly string[]): Marker {
  const path = join(folder, name);
  const isLink = readIsLink(path);
  if (isLink === undefined) return { kind: 'absent', path };
  const target = resolveLinks(path);
  if (target === undefined) return { kind: 'unusable', path, reason: 'the link leads nowhere', isDangling: true };
  if (!isFolder(target)) return { kind: 'unusable', path, reason: 'it is no folder', isDangling: false };
  if (isLink && !bounds.some((bound) => isWithin(bound, target))) {
    return { kind: 'unusable', path, reason: 'the link leads out of the project', isDangling: false };
  }
  return { kind: 'folder', path, folder: target, isLink };
}

function readIsLink(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}
