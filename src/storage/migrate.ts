import { CairnError, type IdSource } from '../kernel/index.ts';
import type { Database, Migration } from './database.ts';
import { META_SCHEMA, readSchemaState, type SchemaState, writeMeta } from './meta.ts';

/** The steps of a program and how far back its files stay usable. */
export interface SchemaPlan {
  readonly migrations: readonly Migration[];
  /** Oldest program (its last step) that may read a file of this schema; the newest step where left out. */
  readonly minReader?: number;
  /** The same for writing. */
  readonly minWriter?: number;
}

/** What one migration did. */
export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly steps: readonly string[];
}

/** Number of the last step that this program knows; -1 where it has none. */
export function latestVersion(plan: SchemaPlan): number {
  return plan.migrations.reduce((latest, step) => Math.max(latest, step.version), -1);
}

/** Whether a file in this state needs steps of the plan. */
export function isMigrationDue(state: SchemaState, plan: SchemaPlan): boolean {
  return state.projectId === undefined || state.version < latestVersion(plan);
}

/** Throws `store_newer` when this program is too old to read a file in this state. */
export function assertReadable(state: SchemaState, plan: SchemaPlan, path: string): void {
  if (state.version > latestVersion(plan) && state.minReader > latestVersion(plan)) throw storeNewer(path);
}

/** Whether this program must not write to a file in this state. */
export function isTooNewToWrite(state: Pick<SchemaState, 'version' | 'minWriter'>, plan: SchemaPlan): boolean {
  return state.version > latestVersion(plan) && state.minWriter > latestVersion(plan);
}

export function storeNewer(path: string): CairnError {
  return new CairnError('store_newer', `${path} was written by a newer version of Cairn.`, {
    repair: { command: 'npm install --global cairn-mcp@latest', note: 'update Cairn, then call again' },
  });
}

/**
 * Brings the file to the plan's newest step; the caller holds the write transaction. Reads the version again, because
 * another process may have been first: then nothing is done.
 */
export function migrate(db: Database, plan: SchemaPlan, ids: IdSource): MigrationReport {
  db.exec(META_SCHEMA);
  const before = readSchemaState(db);
  if (before.projectId === undefined) writeMeta(db, 'project_id', ids.next('prj'));
  const to = latestVersion(plan);
  const due = plan.migrations.filter((step) => step.version > before.version).sort((a, b) => a.version - b.version);
  for (const step of due) step.apply(db);
  if (to > before.version) {
    writeMeta(db, 'schema_version', String(to));
    writeMeta(db, 'min_reader', String(plan.minReader ?? to));
    writeMeta(db, 'min_writer', String(plan.minWriter ?? to));
  }
  return { from: before.version, to: Math.max(to, before.version), steps: due.map((step) => step.name) };
}
