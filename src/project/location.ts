import type { MarkerName } from './markers.ts';
import type { ProjectSettings } from './settings.ts';

/** How the store folder was found, from the start folder. */
export type Derivation = 'git-common-dir' | 'git-dir' | 'submodule' | 'marker' | 'directory' | 'isolate';

/** Where the start folder came from, in the order in which they count. */
export type StartSource = 'project' | 'root' | 'host-variable' | 'argument' | 'working-directory';

/** A folder that looks like a store of this project and is not used. */
export interface ShadowedFolder {
  readonly path: string;
  readonly reason: string;
}

/** Which project a call is about, and where its store is or would be. All paths absolute with links resolved. */
export interface ProjectLocation {
  /** The project's main folder: the main checkout, the marked folder, or the start folder. */
  readonly root: string;
  /** Top of the checkout that the call is about; a linked worktree's own folder, else `root`. */
  readonly workTree: string;
  /** May not exist yet. */
  readonly storeFolder: string;
  readonly storePath: string;
  readonly derivedFrom: Derivation;
  readonly startFolder: string;
  readonly startSource: StartSource;
  readonly branch?: string;
  readonly commit?: string;
  /** The start folder relative to `workTree` with `/`; empty at its top. */
  readonly subfolder: string;
  readonly marker: MarkerName | 'git-dir';
  /** Folder of what all worktrees of the repository share; undefined without Git. */
  readonly gitCommonDir?: string;
  /** What stands at the store folder's place, so that no store can be made there; `resolveProject` refuses writes then. */
  readonly obstacle?: { readonly path: string; readonly reason: string; readonly isDangling: boolean };
  /** The session's folders belong to several projects and nothing decided; `root` is the first of them. */
  readonly ambiguous?: true;
  /** Roots of the projects that the session's folders belong to, where there are several. */
  readonly candidates?: readonly string[];
  readonly shadowed: readonly ShadowedFolder[];
  /** Plain sentences for `status` and `doctor`. */
  readonly warnings: readonly string[];
  readonly config: ProjectSettings;
}
