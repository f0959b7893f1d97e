import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, sep } from 'node:path';

/** Codes by which a file system says that nothing (usable) is at a path. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

export function isNothingThere(error: unknown): boolean {
  return NOTHING_THERE.has((error as NodeJS.ErrnoException).code ?? '');
}

/** The path with all links resolved; undefined where nothing is there. */
export function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

/** The folder itself, or the folder of a file; links resolved; undefined where nothing is there. */
export function resolveFolder(path: string): string | undefined {
  const resolved = resolveLinks(path);
  if (resolved === undefined) return undefined;
  return isFolder(resolved) ? resolved : dirname(resolved);
}

export function isFolder(path: string): boolean {
  return kindOf(path) === 'folder';
}

export function isFile(path: string): boolean {
  return kindOf(path) === 'file';
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

/** True for anything at the path, dangling links included. */
export function hasEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isNothingThere(error)) return false;
    throw error;
  }
}

/** Whether `path` is `folder` or below it. Both absolute, links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** The folder and those above it, nearest first, as far as `top` (or the file system's root). */
export function* ancestors(folder: string, top?: string): Generator<string> {
  for (let current = folder; ; current = dirname(current)) {
    yield current;
    if (current === top || dirname(current) === current) return;
  }
}
