export { type ContainedPath, containPath } from './containment.ts';
export { linkMarker, type MarkerLinks } from './link-marker.ts';
export type { Derivation, ProjectLocation, ShadowedFolder, StartSource } from './location.ts';
export type { ReservedPlaces } from './refusal.ts';
export {
  createProjectResolver,
  type ResolveProjectOptions,
  resolveProject,
} from './resolve-project.ts';
export { findUnknownVariables, type ProjectSettings } from './settings.ts';
