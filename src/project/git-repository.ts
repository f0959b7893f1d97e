import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ancestors, isFile, isFolder, isNothingThere, resolveLinks } from './paths.ts';

/** A Git repository as its files describe it; all paths absolute with links resolved. */
export interface GitRepository {
  /** Top folder of the checkout that the search started in; of a bare repository the repository itself. */
  readonly workTree: string;
  /** Holds HEAD and index of this checkout. */
  readonly gitDir: string;
  /** Holds objects and references, shared by all worktrees. */
  readonly commonDir: string;
}

/** Longest `.git`, `commondir` or `HEAD` file that is read, in bytes; git's own are below 5,000. */
const POINTER_BYTES = 16_384;

/**
 * The nearest repository at or above a folder, by reading files only. A `.git` that leads nowhere is passed over and
 * reported to `warn`; an empty `.git` folder is no repository.
 */
export function findRepository(start: string, warn: (message: string) => void): GitRepository | undefined {
  for (const folder of ancestors(start)) {
    const dotGit = join(folder, '.git');
    if (isFolder(dotGit)) {
      const gitDir = resolveLinks(dotGit);
      if (gitDir !== undefined && isGitDir(gitDir)) return toRepository(folder, gitDir);
    } else if (isFile(dotGit)) {
      const gitDir = followGitFile(dotGit);
      if (gitDir !== undefined && isGitDir(gitDir)) return toRepository(folder, gitDir);
      warn(`${dotGit} names a repository that is not there; it was passed over.`);
    }
    // The start is inside a repository's own folder: a bare one, or the `.git` of a checkout.
    if (isGitDir(folder)) return toRepository(basename(folder) === '.git' ? dirname(folder) : folder, folder);
  }
  return undefined;
}

function toRepository(workTree: string, gitDir: string): GitRepository {
  return { workTree, gitDir, commonDir: toMainCheckout(readCommonDir(gitDir)) };
}

/** A repository has a HEAD, and objects and references of its own or through `commondir`. */
function isGitDir(folder: string): boolean {
  if (!isFile(join(folder, 'HEAD'))) return false;
  if (isFile(join(folder, 'commondir'))) return isFolder(join(readCommonDir(folder), 'objects'));
  return isFolder(join(folder, 'objects')) && isFolder(join(folder, 'refs'));
}

function readCommonDir(gitDir: string): string {
  const text = readSmallFile(join(gitDir, 'commondir'))?.trim();
  if (text === undefined || text === '') return gitDir;
  return resolveLinks(resolve(gitDir, text)) ?? gitDir;
}

/** `gitdir: <path>`, relative to the file's own folder (gitrepository-layout). */
function followGitFile(path: string): string | undefined {
  const target = /^gitdir:[ \t]*(.+?)[\r\n]*$/s.exec(readSmallFile(path) ?? '')?.[1];
  return target === undefined ? undefined : resolveLinks(resolve(dirname(path), target));
}

/**
 * A submodule in a linked worktree of its superproject has a repository of its own under `worktrees/<name>/modules/`;
 * it stands for the one of the same name in the main checkout, where that exists.
 */
function toMainCheckout(commonDir: string): string {
  const parts = commonDir.split(sep);
  for (let i = parts.length - 3; i > 0; i--) {
    if (parts[i] !== 'worktrees' || parts[i + 2] !== 'modules') continue;
    const superproject = parts.slice(0, i).join(sep);
    const main = [superproject, ...parts.slice(i + 2)].join(sep);
    if (isGitDir(superproject) && isGitDir(main)) return toMainCheckout(main);
  }
  return commonDir;
}

/** Whether a common folder lies under `modules/` of another repository, where Git keeps those of submodules. */
export function isSubmodule(commonDir: string): boolean {
  const parts = commonDir.split(sep);
  return parts.some((part, index) => part === 'modules' && index > 0 && isGitDir(parts.slice(0, index).join(sep)));
}

/** The text of a file; undefined where there is none or it is too long to be what was looked for. */
export function readSmallFile(path: string, limit = POINTER_BYTES): string | undefined {
  try {
    const content = readFileSync(path);
    return content.length > limit ? undefined : content.toString('utf8');
  } catch (error) {
    if (isNothingThere(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return undefined;
    throw error;
  }
}
