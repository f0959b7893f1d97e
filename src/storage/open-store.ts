import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { CairnError, type Clock, createIdSource, type ErrorCode, type IdSource } from '../kernel/index.ts';
import { ConnectionOpener } from './connection-opener.ts';
import type { Database, Store } from './database.ts';
import type { Driver } from './driver.ts';
import { createFile, ensureStoreFolder, fileSize } from './files.ts';
import { readSchemaState } from './meta.ts';
import {
  assertReadable,
  isMigrationDue,
  isTooNewToWrite,
  type MigrationReport,
  migrate,
  type SchemaPlan,
  storeNewer,
} from './migrate.ts';
import { probeStore } from './probe.ts';
import { storeError, toStoreError } from './sqlite-errors.ts';
import { SqliteStore } from './sqlite-store.ts';
import { hasStoreFile, readStoreFile, writeStoreFile } from './store-file.ts';

export interface OpenStoreOptions extends SchemaPlan {
  /** Absolute path of the database file, e.g. `<project>/.cairn/memory.db`. */
  readonly path: string;
  /**
   * `create` makes folder and file where they are missing; `existing` fails with `not_found` then; `read-only` also
   * writes nothing at all, not even side files of SQLite where none are there.
   */
  readonly mode: 'create' | 'existing' | 'read-only';
  readonly clock: Clock;
  /** Bytes, a power of two; counts only when the file is made. */
  readonly pageSize?: number;
  /** Runs before steps are applied to a file that has rows already: the place for a backup. */
  readonly beforeMigration?: (store: Store, fromVersion: number) => Promise<void>;
  readonly ids?: IdSource;
  readonly driver?: Driver;
  /** SQLite's file layer, e.g. `unix-dotfile` on a network file system without locks; the system's own where left out. */
  readonly vfs?: string;
}

/** A {@link Store} and what its opening found. */
export interface OpenStore extends Store {
  /** Random id of the store, made with it; `''` in a file that was never migrated. */
  readonly projectId: string;
  readonly schemaVersion: number;
  /** Set when this opening applied steps. */
  readonly migration?: MigrationReport;
  /** Plain sentences for `status` and `doctor`. */
  readonly warnings: readonly string[];
}

/**
 * Opens the store at a path. Runs no DDL and takes no write lock unless the file is new or a migration is due.
 * Fails with `not_found`, `store_damaged`, `store_newer` (too new even to read), `store_locked`, `permission_denied`,
 * `disk_full` or `io_error`. A place that cannot be written to gives a read-only store with a warning.
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  try {
    return await open(options);
  } catch (error) {
    throw toStoreError(error, options.path);
  }
}

async function open(options: OpenStoreOptions): Promise<OpenStore> {
  const { path, clock } = options;
  const warnings: string[] = [];
  assertOwnFile(path);
  const state = probeStore(path);
  if (state === 'damaged') throw storeError('store_damaged', path);
  if (state === 'absent') {
    if (options.mode !== 'create') throw new CairnError('not_found', `There is no store at ${path} yet.`);
    ensureStoreFolder(dirname(path));
    createFile(path, '');
  }
  const refusal = options.mode === 'read-only' ? 'read_only' : findRefusal(path);
  if (refusal !== undefined && options.mode !== 'read-only') {
    warnings.push(`${path} cannot be written to (${refusal}); the store is open for reading only.`);
  }
  const opener = new ConnectionOpener(options, refusal !== undefined);
  if (refusal === undefined && (fileSize(path) ?? 0) === 0) await opener.formatFile(clock);

  const store = new SqliteStore({
    path,
    clock,
    refusal,
    access: {
      open: () => opener.open(),
      identity: () => opener.identity(),
      assertWritable: (db) => assertWritable(db, options),
    },
  });
  try {
    const found = await finishOpening(store, opener, options);
    return Object.assign(store, { ...found, warnings: [...warnings, ...opener.warnings] });
  } catch (error) {
    store.close();
    throw error;
  }
}

/** A cloned repository can carry a link in place of the database; what it leads to is not ours to open or to migrate. */
function assertOwnFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile()) return;
  throw new CairnError('path_outside_project', `${path} is no file of its own; move it away and call again.`);
}

/** Checks the schema and migrates where that is due; keeps `store.json` in step. */
async function finishOpening(
  store: SqliteStore,
  opener: ConnectionOpener,
  options: OpenStoreOptions,
): Promise<{ projectId: string; schemaVersion: number; migration?: MigrationReport }> {
  let state = readSchemaState(store.db);
  // A file can be cut so short that SQLite takes what is left for a new one.
  if (state.projectId === undefined && hasStoreFile(dirname(store.path))) {
    throw storeError(opener.isLogHidden ? 'permission_denied' : 'store_damaged', store.path);
  }
  assertReadable(state, options, options.path);
  let migration: MigrationReport | undefined;
  if (!store.readOnly && isMigrationDue(state, options)) {
    if (state.version >= 0) await options.beforeMigration?.(store, state.version);
    const ids = options.ids ?? createIdSource(() => options.clock.now());
    migration = await store.write((db) => migrate(db, options, ids));
    state = readSchemaState(store.db);
  }
  const projectId = state.projectId ?? '';
  if (options.mode === 'create' && !store.readOnly && (migration !== undefined || !hasStoreFile(dirname(store.path)))) {
    const entries = readStoreFile(dirname(store.path))?.entries ?? 0;
    writeStoreFile(dirname(store.path), { project_id: projectId, schema_version: state.version, entries });
  }
  return { projectId, schemaVersion: state.version, ...(migration === undefined ? {} : { migration }) };
}

function assertWritable(db: Database, options: OpenStoreOptions): void {
  if (isTooNewToWrite(readSchemaState(db), options)) throw storeNewer(options.path);
}

/** Why the place cannot be written to; undefined where it can. Asks the file system and writes nothing. */
function findRefusal(path: string): ErrorCode | undefined {
  for (const place of [dirname(path), path]) {
    try {
      accessSync(place, constants.W_OK);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EROFS' ? 'read_only' : 'permission_denied';
    }
  }
  return undefined;
}
