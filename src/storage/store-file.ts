import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasEntry, writeFileAtomically } from './files.ts';
import { toProjectId } from './meta.ts';

/** `store.json`: what must be true of the database beside it. An absent or empty database next to one is damage. */
export interface StoreFile {
  readonly project_id: string;
  readonly schema_version: number;
  /** Entries at the last count; what is left after damage is compared with it. */
  readonly entries: number;
}

const NAME = 'store.json';

/** The folder's `store.json`; undefined where there is none or its content cannot be read as one. */
export function readStoreFile(folder: string): StoreFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, NAME), 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  return parseStoreFile(text);
}

/** Replaces `store.json` when it would change. */
export function writeStoreFile(folder: string, next: StoreFile): void {
  const present = readStoreFile(folder);
  if (present !== undefined && isEqual(present, next)) return;
  const { project_id, schema_version, entries } = next;
  writeFileAtomically(join(folder, NAME), `${JSON.stringify({ project_id, schema_version, entries }, null, 2)}\n`);
}

function isEqual(a: StoreFile, b: StoreFile): boolean {
  return a.project_id === b.project_id && a.schema_version === b.schema_version && a.entries === b.entries;
}

function parseStoreFile(text: string): StoreFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Torn or edited: the database itself still says all of it.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { project_id, schema_version, entries } = value as Partial<Record<keyof StoreFile, unknown>>;
  const projectId = toProjectId(project_id);
  if (projectId === undefined || typeof schema_version !== 'number' || typeof entries !== 'number') return undefined;
  return { project_id: projectId, schema_version, entries };
}

/** Whether the folder has a `store.json`, readable or not. */
export function hasStoreFile(folder: string): boolean {
  return hasEntry(join(folder, NAME));
}

/** Notes the number of entries that a store holds now; what is left after damage is compared with it. */
export function recordEntryCount(
  store: { readonly path: string; readonly projectId: string; readonly schemaVersion: number },
  entries: number,
): void {
  writeStoreFile(dirname(store.path), { project_id: store.projectId, schema_version: store.schemaVersion, entries });
}
