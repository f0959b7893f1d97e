import { dirname, sep } from 'node:path';
import { isWithin, resolveLinks } from './paths.ts';

/** Folders of this machine and user that never are a project. */
export interface ReservedPlaces {
  readonly home: string;
  /** The system's folder for temporary files; what lies below it is allowed. */
  readonly temporaryRoot: string;
  /** Install folders of plugins, this program's own among them. */
  readonly pluginRoots?: readonly string[];
}

/** The same with links resolved, so that comparing texts is enough. */
export function resolvePlaces(places: ReservedPlaces): Required<ReservedPlaces> {
  return {
    home: resolveLinks(places.home) ?? places.home,
    temporaryRoot: resolveLinks(places.temporaryRoot) ?? places.temporaryRoot,
    pluginRoots: (places.pluginRoots ?? []).map((root) => resolveLinks(root) ?? root),
  };
}

/** Whether many projects may lie below this folder, so that a store in it would be shared by all of them. */
export function isSharedPlace(folder: string, places: Required<ReservedPlaces>): boolean {
  return dirname(folder) === folder || isWithin(folder, places.home) || folder === places.temporaryRoot;
}

/** Why a start folder must not become a project; undefined where it may. */
export function refuseFolder(folder: string, places: Required<ReservedPlaces>): string | undefined {
  if (dirname(folder) === folder) return 'it is the root of the file system';
  if (folder === places.home) return 'it is the home folder';
  if (isWithin(folder, places.home)) return 'it holds the home folder';
  if (folder === places.temporaryRoot) return "it is the system's temporary folder";
  return refuseInstallFolder(folder, places);
}

/** The part of {@link refuseFolder} that holds inside a repository too: installed code is nobody's project. */
export function refuseInstallFolder(folder: string, places: Required<ReservedPlaces>): string | undefined {
  if (folder.split(sep).includes('node_modules')) return 'it lies inside node_modules';
  if (places.pluginRoots.some((root) => isWithin(root, folder))) return "it is a plugin's install folder";
  return undefined;
}
