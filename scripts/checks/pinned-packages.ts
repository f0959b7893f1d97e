import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HouseCheck } from './check.ts';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly resolved?: string; readonly hasInstallScript?: boolean }>
  >;
}

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

function checkManifest(path: string, manifest: Manifest): string[] {
  const groups = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
  return groups
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${path}: ${name} is "${version}". Pin one exact version.`);
}

function checkWorkspaces(root: Manifest, workspaces: readonly Manifest[]): string[] {
  return workspaces.flatMap(({ name, version }) => {
    const wanted = root.dependencies?.[name];
    return wanted === undefined || wanted === version
      ? []
      : [`package.json: ${name} is "${wanted}", the workspace has ${version}.`];
  });
}

function checkLock(lock: Lock, allowScripts: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(lock.packages).flatMap(([path, { dev, resolved, hasInstallScript }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const problems: string[] = [];
    if (resolved !== undefined && /^[a-z+]+:/.test(resolved)) {
      problems.push(`package-lock.json: ${path} names a host. Lock with --omit-lockfile-registry-resolved.`);
    }
    if (hasInstallScript && !dev && allowScripts[name] !== false) {
      problems.push(`package-lock.json: ${name} runs an install script. Choose another, or refuse it in allowScripts.`);
    }
    return problems;
  });
}

/** Exact versions everywhere, no registry host in the lock file, no install script in what is published. */
export const pinnedPackages: HouseCheck = {
  name: 'packages',
  run(root, files) {
    const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
    const manifests = files.filter((path) => /^(packages\/[^/]+\/)?package\.json$/.test(path));
    const main = read<Manifest>('package.json');
    const workspaces = manifests.filter((path) => path !== 'package.json').map((path) => read<Manifest>(path));
    const lock = read<Lock>('package-lock.json');
    const problems = [
      ...manifests.flatMap((path) => checkManifest(path, read<Manifest>(path))),
      ...checkWorkspaces(main, workspaces),
      ...checkLock(lock, main.allowScripts ?? {}),
    ];
    return { problems, notes: [`${Object.keys(lock.packages).length} packages locked`] };
  },
};
