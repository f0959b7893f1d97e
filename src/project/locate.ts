import { basename, dirname, join, relative, sep } from 'node:path';
import { readHead } from './git-head.ts';
import { findRepository, type GitRepository, isSubmodule } from './git-repository.ts';
import type { Derivation, ProjectLocation, ShadowedFolder, StartSource } from './location.ts';
import { MARKERS, type MarkerName, readMarker } from './markers.ts';
import { ancestors, isWithin } from './paths.ts';
import { isSharedPlace, type ReservedPlaces, refuseFolder, refuseInstallFolder } from './refusal.ts';
import { DEFAULT_SETTINGS, readSettings } from './settings.ts';

/** The store's file in its folder. */
const STORE_FILE = 'memory.db';

/** A start folder as a project, or the reason why it is none. */
export type Located =
  | { readonly ok: true; readonly location: ProjectLocation }
  | { readonly ok: false; readonly reason: string };

/** A folder that was chosen as the project's, before markers are looked at. */
interface Place {
  readonly root: string;
  readonly workTree: string;
  readonly derivedFrom: Derivation;
  /** Set where the store lies inside a Git folder and markers play no part. */
  readonly gitStore?: string;
}

interface Search {
  readonly start: string;
  readonly source: StartSource;
  readonly repository: GitRepository | undefined;
  readonly shadowed: ShadowedFolder[];
  readonly warnings: string[];
}

/** Applies the table of project rules to a start folder (absolute, links resolved). Reads files only; creates nothing. */
export function locateProject(start: string, source: StartSource, places: Required<ReservedPlaces>): Located {
  const installed = refuseInstallFolder(start, places);
  if (installed !== undefined) return { ok: false, reason: installed };
  const warnings: string[] = [];
  const found = findRepository(start, (message) => warnings.push(message));
  const repository = found !== undefined && isOwnRepository(found, places) ? found : undefined;
  const search: Search = { start, source, repository, shadowed: [], warnings };
  if (repository !== undefined) {
    return { ok: true, location: finish(search, isolatedPlace(search, repository) ?? gitPlace(repository)) };
  }
  const marked = markedPlace(search, places);
  if (marked !== undefined) return { ok: true, location: finish(search, marked) };
  const refused = refuseFolder(start, places);
  if (refused !== undefined) return { ok: false, reason: refused };
  return { ok: true, location: finish(search, { root: start, workTree: start, derivedFrom: 'directory' }) };
}

/** A repository whose top is the home folder (dot files) or above it would make one project of everything below. */
function isOwnRepository(repository: GitRepository, places: Required<ReservedPlaces>): boolean {
  const { root, workTree } = gitPlace(repository);
  return !isSharedPlace(root, places) && !isSharedPlace(workTree, places);
}

function gitPlace(repository: GitRepository): Place {
  const { commonDir, workTree } = repository;
  if (basename(commonDir) === '.git') {
    const root = dirname(commonDir);
    return { root, workTree, derivedFrom: 'git-common-dir' };
  }
  const derivedFrom = isSubmodule(commonDir) ? 'submodule' : 'git-dir';
  return { root: workTree, workTree, derivedFrom, gitStore: join(commonDir, 'cairn') };
}

/** The nearest folder from the start to the top of the checkout that opts out of sharing. */
function isolatedPlace(search: Search, repository: GitRepository): Place | undefined {
  for (const folder of ancestors(search.start, repository.workTree)) {
    const marker = readMarker(folder, '.cairn', [folder]);
    if (marker.kind === 'folder' && readSettings(marker.folder).settings.isolate) {
      return { root: folder, workTree: repository.workTree, derivedFrom: 'isolate' };
    }
  }
  return undefined;
}

/** Without Git: the nearest folder with a marker, never one that many projects share. */
function markedPlace(search: Search, places: Required<ReservedPlaces>): Place | undefined {
  for (const folder of ancestors(search.start)) {
    if (isSharedPlace(folder, places)) return undefined;
    if (MARKERS.some((name) => readMarker(folder, name, [folder]).kind === 'folder')) {
      return { root: folder, workTree: folder, derivedFrom: 'marker' };
    }
  }
  return undefined;
}

function finish(search: Search, place: Place): ProjectLocation {
  const { repository } = search;
  const bounds = [place.root, place.workTree, ...(repository === undefined ? [] : [repository.commonDir])];
  const chosen: ChosenMarker =
    place.gitStore === undefined
      ? chooseMarker(search, place.root, bounds)
      : { folder: place.gitStore, marker: 'git-dir' };
  reportShadowed(search, place, chosen.folder, bounds);
  // What stands in the way may be a link to somebody else's folder: nothing in it is read.
  const { settings, warnings } =
    chosen.obstacle === undefined ? readSettings(chosen.folder) : { settings: DEFAULT_SETTINGS, warnings: [] };
  return {
    root: place.root,
    workTree: place.workTree,
    storeFolder: chosen.folder,
    storePath: join(chosen.folder, STORE_FILE),
    derivedFrom: place.derivedFrom,
    startFolder: search.start,
    startSource: search.source,
    ...(repository === undefined ? {} : readHead(repository)),
    subfolder: relative(place.workTree, search.start).split(sep).join('/'),
    marker: chosen.marker,
    ...(repository === undefined ? {} : { gitCommonDir: repository.commonDir }),
    ...(chosen.obstacle === undefined ? {} : { obstacle: chosen.obstacle }),
    shadowed: search.shadowed,
    warnings: [...search.warnings, ...warnings],
    config: settings,
  };
}

/** Where the store is or will be, and what stands in its way. */
interface ChosenMarker {
  readonly folder: string;
  readonly marker: MarkerName | 'git-dir';
  readonly obstacle?: { readonly path: string; readonly reason: string; readonly isDangling: boolean };
}

/** `.cairn` where it is usable, else a `.ruvector` that is there already, else the `.cairn` that will be made. */
function chooseMarker(search: Search, root: string, bounds: readonly string[]): ChosenMarker {
  const markers = MARKERS.map((name) => readMarker(root, name, bounds));
  for (const marker of markers) {
    if (marker.kind === 'unusable') search.warnings.push(`${marker.path} counts as absent: ${marker.reason}.`);
  }
  for (const [index, marker] of markers.entries()) {
    if (marker.kind !== 'folder') continue;
    return { folder: marker.folder, marker: ownName(marker.folder, MARKERS[index] ?? MARKERS[0]) };
  }
  const [own] = markers;
  const place = { folder: join(root, MARKERS[0]), marker: MARKERS[0] };
  if (own?.kind !== 'unusable') return place;
  const { path, reason, isDangling } = own;
  return { ...place, obstacle: { path, reason, isDangling } };
}

/** A `.ruvector` that is a link to `.cairn`, or the other way round, is named after the folder it leads to. */
function ownName(folder: string, name: MarkerName): MarkerName {
  return MARKERS.find((one) => basename(folder) === one) ?? name;
}

/** Names real marker folders from the start to the top, and in the main checkout, that are not the store. */
function reportShadowed(search: Search, place: Place, storeFolder: string, bounds: readonly string[]): void {
  const top = isWithin(place.workTree, search.start) ? place.workTree : search.start;
  const folders = new Set([...ancestors(search.start, top), place.root]);
  for (const folder of folders) {
    for (const name of MARKERS) {
      const marker = readMarker(folder, name, bounds);
      if (marker.kind === 'folder' && marker.folder !== storeFolder && !marker.isLink) {
        search.shadowed.push({ path: marker.path, reason: `the project's store is ${storeFolder}` });
      } else if (marker.kind === 'unusable' && (folder !== place.root || place.gitStore !== undefined)) {
        search.warnings.push(`${marker.path} counts as absent: ${marker.reason}.`);
      }
    }
  }
}
