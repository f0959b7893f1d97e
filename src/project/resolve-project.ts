import { CairnError, type Clock, type RequestContext } from '../kernel/index.ts';
import { locateProject } from './locate.ts';
import type { ProjectLocation, StartSource } from './location.ts';
import { isWithin } from './paths.ts';
import { type ReservedPlaces, resolvePlaces } from './refusal.ts';
import { findStartFolders, type StartFolder } from './start-folder.ts';

export interface ResolveProjectOptions extends ReservedPlaces {
  /** The call's own `project` argument: a path, absolute or relative to the working folder. */
  readonly project?: string;
  /** A write is refused where a read would answer with a guess. */
  readonly purpose: 'read' | 'write';
}

/**
 * The project that a call is about, found anew from its context by reading files only; nothing is created.
 * Fails with `no_project` (the message names every folder that was tried and why it is none), for a write also with
 * `ambiguous_project` (resolving the same as a read gives the list of candidates), and with `path_outside_project` where
 * something else stands at the store's place.
 */
export async function resolveProject(
  context: RequestContext,
  options: ResolveProjectOptions,
): Promise<ProjectLocation> {
  const places = resolvePlaces(options);
  const { found, missing } = findStartFolders(context, options.project);
  const missed = missing.map(({ source, given }) => `${nameOf(source)} ${given} does not exist`);
  const first = found[0];
  if (first === undefined) throw noProject(missed);
  const hints = found.filter(({ source }) => source !== 'project' && source !== 'root');
  const starts = first.source === 'root' ? found.filter(({ source }) => source === 'root') : [first];

  const refused: string[] = [];
  const located: ProjectLocation[] = [];
  for (const start of starts) {
    const result = locateProject(start.folder, start.source, places);
    if (result.ok) located.push(result.location);
    else refused.push(`${nameOf(start.source)} ${start.folder}: ${result.reason}`);
  }
  const location = chooseLocation(located, hints);
  if (location === undefined) throw noProject([...missed, ...refused]);
  if (location.ambiguous === true && options.purpose === 'write') throw ambiguousProject(location.candidates ?? []);
  assertUnobstructed(location, options.purpose);
  const warnings = [...missed, ...refused].map((text) => `Passed over: ${text}.`);
  return warnings.length === 0 ? location : { ...location, warnings: [...location.warnings, ...warnings] };
}

/** The one project of all roots; the root that a hint lies in; or the first root, said to be a guess. */
function chooseLocation(
  located: readonly ProjectLocation[],
  hints: readonly StartFolder[],
): ProjectLocation | undefined {
  const first = located[0];
  const stores = new Set(located.map(({ storeFolder }) => storeFolder));
  if (first === undefined || stores.size === 1) return first;
  const candidates = [...stores].map(
    (store) => (located.find(({ storeFolder }) => storeFolder === store) ?? first).root,
  );
  for (const hint of hints) {
    const inside = located.filter(
      ({ workTree, startFolder }) => isWithin(workTree, hint.folder) || isWithin(startFolder, hint.folder),
    );
    const nearest = inside.sort((a, b) => b.workTree.length - a.workTree.length)[0];
    if (nearest !== undefined) return { ...nearest, candidates };
  }
  return { ...first, ambiguous: true, candidates };
}

/** A link to nowhere is no store yet, so it can be read as empty; anything else in the way is not ours to look into. */
function assertUnobstructed({ obstacle }: ProjectLocation, purpose: 'read' | 'write'): void {
  if (obstacle === undefined || (purpose === 'read' && obstacle.isDangling)) return;
  throw new CairnError(
    'path_outside_project',
    `No store can be kept at ${obstacle.path}: ${obstacle.reason}. Move it away and call again.`,
  );
}

function ambiguousProject(candidates: readonly string[]): CairnError {
  const list = candidates.join(', ');
  return new CairnError(
    'ambiguous_project',
    `The session has ${candidates.length} projects (${list}); name one with "project".`,
    {
      field: 'project',
      repair: {
        operation: 'memory_remember',
        arguments: { project: candidates[0] },
        requests: 0,
        note: `the same call with "project" set to one of: ${list}`,
      },
    },
  );
}

function noProject(tried: readonly string[]): CairnError {
  const list = tried.length === 0 ? 'no folder was given' : tried.join('; ');
  return new CairnError(
    'no_project',
    `No project folder: ${list}. Start in a project, or name its folder with "project" (--project on the command line).`,
    { field: 'project' },
  );
}

const SOURCE_NAMES: Readonly<Record<StartSource, string>> = {
  project: 'the named project',
  root: 'the session folder',
  'host-variable': "the host's project folder",
  argument: 'the --project folder',
  'working-directory': 'the working folder',
};

function nameOf(source: StartSource): string {
  return SOURCE_NAMES[source];
}

/** Milliseconds for which an answer is used again; short enough that a new root or marker counts at the next call. */
const CACHE_MS = 1_000;

/** Answers kept by a resolver; enough for one server with a session in each of many projects. */
const CACHE_ENTRIES = 64;

/** {@link resolveProject} with the fixed places filled in, keeping answers (not failures) for one second. */
export function createProjectResolver(deps: ReservedPlaces & { readonly clock: Clock }): {
  resolve(
    context: RequestContext,
    options: { readonly project?: string; readonly purpose: 'read' | 'write' },
  ): Promise<ProjectLocation>;
} {
  const kept = new Map<string, { readonly until: number; readonly location: ProjectLocation }>();
  return {
    async resolve(context, options) {
      const key = keyOf(context, options);
      const now = deps.clock.monotonic();
      const hit = kept.get(key);
      if (hit !== undefined && now < hit.until) return hit.location;
      const location = await resolveProject(context, { ...deps, ...options });
      kept.delete(key);
      kept.set(key, { until: now + CACHE_MS, location });
      const oldest = kept.keys().next();
      if (kept.size > CACHE_ENTRIES && oldest.done !== true) kept.delete(oldest.value);
      return location;
    },
  };
}

function keyOf(context: RequestContext, options: { readonly project?: string; readonly purpose: string }): string {
  const { workingDirectory, roots, hostProjectDirectory, projectArgument } = context;
  return JSON.stringify([
    options.purpose,
    options.project,
    workingDirectory,
    roots,
    hostProjectDirectory,
    projectArgument,
  ]);
}
