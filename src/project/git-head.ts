import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitRepository, readSmallFile } from './git-repository.ts';
import { isNothingThere } from './paths.ts';

/** What a checkout has checked out; both are undefined where the files do not say (e.g. an unborn branch has no commit). */
export interface GitHead {
  readonly branch?: string;
  /** Full object id, SHA-1 or SHA-256. */
  readonly commit?: string;
}

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REFERENCE = /^ref:\s*(\S+)\s*$/;

/** Symbolic references followed at most; git itself stops at five. */
const REFERENCE_DEPTH = 5;

/** Branch and commit of the checkout, from HEAD, loose references and `packed-refs`. */
export function readHead(repository: GitRepository): GitHead {
  const head = readSmallFile(join(repository.gitDir, 'HEAD'))?.trim() ?? '';
  if (OBJECT_ID.test(head)) return { commit: head };
  const name = REFERENCE.exec(head)?.[1];
  // A repository in the reftable format keeps a placeholder in HEAD.
  if (name === undefined || name === 'refs/heads/.invalid') return {};
  const branch = name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : undefined;
  const commit = readReference(repository, name, REFERENCE_DEPTH);
  return { ...(branch === undefined ? {} : { branch }), ...(commit === undefined ? {} : { commit }) };
}

function readReference(repository: GitRepository, name: string, depth: number): string | undefined {
  if (depth === 0 || !isSafeName(name)) return undefined;
  const text = readSmallFile(join(repository.commonDir, name))?.trim();
  if (text === undefined) return readPackedReference(repository.commonDir, name);
  const next = REFERENCE.exec(text)?.[1];
  if (next !== undefined) return readReference(repository, next, depth - 1);
  return OBJECT_ID.test(text) ? text : undefined;
}

/** HEAD is a file that anyone may have written: its name must stay below the repository. */
function isSafeName(name: string): boolean {
  return name.startsWith('refs/') && !name.split('/').includes('..') && !name.includes('\0');
}

function readPackedReference(commonDir: string, name: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(commonDir, 'packed-refs'), 'utf8');
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
  const end = text.indexOf(` ${name}\n`);
  if (end < 0) return undefined;
  const id = text.slice(text.lastIndexOf('\n', end) + 1, end);
  return OBJECT_ID.test(id) ? id : undefined;
}
