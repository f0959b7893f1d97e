import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestContext } from '../../../src/kernel/index.ts';
import { type ProjectLocation, resolveProject } from '../../../src/project/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A machine of its own for one test: a home folder, a temporary root, and real Git with no configuration but its own. */
export interface World {
  readonly base: string;
  readonly home: string;
  readonly places: { readonly home: string; readonly temporaryRoot: string };
  folder(...parts: string[]): string;
  git(folder: string, ...args: string[]): string;
  /** A repository with one commit on `main`. */
  repository(...parts: string[]): string;
  locate(start: string, more?: Partial<RequestContext>): Promise<ProjectLocation>;
}

export function contextOf(workingDirectory: string, more: Partial<RequestContext> = {}): RequestContext {
  return { signal: new AbortController().signal, surface: 'cli', workingDirectory, roots: [], ...more };
}

export function makeWorld(): World {
  const base = temporaryFolder();
  const folder = (...parts: string[]): string => {
    const path = join(base, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const home = folder('home');
  const places = { home, temporaryRoot: folder('tmp') };
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main', ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  return {
    base,
    home,
    places,
    folder,
    git,
    repository(...parts) {
      const path = folder(...parts);
      git(path, 'init', '--quiet');
      git(path, 'commit', '--quiet', '--allow-empty', '-m', 'first');
      return path;
    },
    locate: (start, more) => resolveProject(contextOf(start, more), { purpose: 'read', ...places }),
  };
}
