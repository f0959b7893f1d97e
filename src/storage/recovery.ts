import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CairnError } from '../kernel/index.ts';
import { type BackupDeps, listBackups, verifyDatabase } from './backup.ts';
import type { Database, Store } from './database.ts';
import { withFileLock } from './file-lock.ts';
import { fileSize } from './files.ts';
import { readMeta, toProjectId, writeMeta } from './meta.ts';
import { latestVersion, storeNewer } from './migrate.ts';
import { type OpenStore, type OpenStoreOptions, openStore } from './open-store.ts';
import { makeReadable } from './padding.ts';
import { probeStore } from './probe.ts';
import { storeError, toStoreError } from './sqlite-errors.ts';
import { readStoreFile, writeStoreFile } from './store-file.ts';
import { publishContent, quarantineStore } from './swap.ts';
import { runTask } from './worker-client.ts';

/** Which rows are the truth, said by the room that owns the schema; everything else can be made again from them. */
export interface TruthTables {
  /** Parents before children. */
  readonly tables: readonly string[];
  /** Gives one number: how many things a person would miss. Compared with the last known count. */
  readonly countSql: string;
  /** Removes rows whose content does not fit their own checksum, before a backup fills the gaps. */
  readonly discardInvalid?: (db: Database) => void;
  /** Makes the derived tables again; runs in the new file before anybody sees it. */
  readonly rebuild?: (db: Database) => void;
}

/** What a recovery did; kept in the store until a person or a client has acknowledged it. */
export interface Recovery {
  /** Things that could be read from the damaged file. */
  readonly salvaged: number;
  /** Things that came from the newest sound backup instead. */
  readonly from_backup: number;
  readonly quarantined_path: string;
}

export interface RecoverOptions extends Omit<OpenStoreOptions, 'mode'> {
  readonly truth: TruthTables;
  readonly backups: BackupDeps;
}

/** Longest wait for another process that recovers the same store, in milliseconds. */
const RECOVERY_WAIT_MS = 120_000;

const META_KEY = 'recovered';

/**
 * Builds a new file from the readable rows of a damaged one and the newest sound backup, and puts it in its place; the
 * damaged files stay in `quarantine/`. Gives undefined when the store is sound (another process was first). Where less than
 * half of the known count can be saved nothing is replaced: `store_damaged`, with the command that restores a backup.
 */
export async function recoverStore(options: RecoverOptions): Promise<Recovery | undefined> {
  try {
    return await recoverAlone(options);
  } catch (error) {
    throw toStoreError(error, options.path);
  }
}

async function recoverAlone(options: RecoverOptions): Promise<Recovery | undefined> {
  const { path, clock } = options;
  const lock = join(dirname(path), 'recovery.lock');
  return withFileLock(lock, { clock, waitMs: RECOVERY_WAIT_MS }, async () => {
    if (probeStore(path) === 'absent') return undefined;
    if ((await verifyDatabase(path, options.backups.worker)).ok) return undefined;
    const quarantined = quarantineStore(path, clock);
    const work = join(dirname(quarantined), 'work');
    try {
      return await recoverInto(join(work, 'memory.db'), quarantined, options);
    } finally {
      rmSync(work, { recursive: true, force: true });
      rmSync(`${quarantined}.work`, { force: true });
      rmSync(`${quarantined}.work-wal`, { force: true });
      rmSync(`${quarantined}.work-shm`, { force: true });
    }
  });
}

async function recoverInto(target: string, quarantined: string, options: RecoverOptions): Promise<Recovery> {
  const { path, truth, backups } = options;
  const { worker } = backups;
  const known = readStoreFile(dirname(path));
  // This program's tables would drop what a newer one has stored besides.
  if (known !== undefined && known.schema_version > latestVersion(options)) throw storeNewer(path);
  const { beforeMigration: _, ...plan } = options;
  const store = await openStore({ ...plan, path: target, mode: 'create' });
  try {
    const work = makeReadable(quarantined);
    const damaged = await runTask(
      { kind: 'salvage', source: work, target, tables: truth.tables, replaceMeta: true },
      worker,
    );
    if (truth.discardInvalid !== undefined) await store.write(truth.discardInvalid);
    const salvaged = countTruth(store, truth);

    const backup = await newestSoundBackup(backups);
    if (backup !== undefined) {
      await runTask(
        { kind: 'salvage', source: backup, target, tables: truth.tables, replaceMeta: !damaged.hasMeta },
        worker,
      );
    } else if (!damaged.hasMeta && known !== undefined) {
      await store.write((db) => writeMeta(db, 'project_id', known.project_id));
    }
    const total = countTruth(store, truth);
    assertEnough(total, known?.entries, quarantined, path);

    const recovery: Recovery = { salvaged, from_backup: total - salvaged, quarantined_path: quarantined };
    await store.write((db) => {
      truth.rebuild?.(db);
      writeMeta(db, META_KEY, JSON.stringify(recovery));
    });
    const projectId = toProjectId(readMeta(store.db, 'project_id')) ?? store.projectId;
    await publish(store, path, options);
    writeStoreFile(dirname(path), { project_id: projectId, schema_version: store.schemaVersion, entries: total });
    return recovery;
  } finally {
    store.close();
  }
}

/** The new file must be whole without its log before it is copied into place, and sound. */
async function publish(store: OpenStore, path: string, options: RecoverOptions): Promise<void> {
  store.db.get('PRAGMA wal_checkpoint(TRUNCATE)');
  if ((fileSize(`${store.path}-wal`) ?? 0) > 0) throw new Error('the log of the recovered store could not be emptied');
  const { ok, problems } = await verifyDatabase(store.path, options.backups.worker);
  if (!ok) throw storeError('store_damaged', path, new Error(problems.join('; ')));
  await publishContent({ path: store.path, isLive: true }, path, options.backups.worker);
}

function countTruth(store: Store, truth: TruthTables): number {
  const row = store.db.get<Record<string, number>>(truth.countSql) ?? {};
  return Number(Object.values(row)[0] ?? 0);
}

function assertEnough(total: number, known: number | undefined, quarantined: string, path: string): void {
  const isEnough = known === undefined ? total > 0 || (fileSize(quarantined) ?? 0) === 0 : total * 2 >= known;
  if (isEnough) return;
  const of = known === undefined ? '' : ` of ${known}`;
  throw new CairnError(
    'store_damaged',
    `The store ${path} is damaged and only ${total}${of} entries could be saved, so nothing was replaced. A copy is at ${quarantined}.`,
    { repair: { command: 'cairn memory restore', note: 'lists the backups and restores the one that is chosen' } },
  );
}

async function newestSoundBackup({ folder, worker }: BackupDeps): Promise<string | undefined> {
  for (const { path } of listBackups(folder)) {
    if ((await verifyDatabase(path, worker)).ok) return path;
  }
  return undefined;
}

/** Opens the store, and recovers it first where it is damaged. */
export async function openRecovering(
  options: OpenStoreOptions & Pick<RecoverOptions, 'truth' | 'backups'>,
): Promise<OpenStore> {
  try {
    return await openStore(options);
  } catch (error) {
    if (options.mode === 'read-only' || (error as { code?: unknown }).code !== 'store_damaged') throw error;
  }
  await recoverStore(options);
  return openStore(options);
}

/** The recovery that nobody has acknowledged yet. */
export function readRecovery(db: Database): Recovery | undefined {
  const text = readMeta(db, META_KEY);
  return text === undefined ? undefined : (JSON.parse(text) as Recovery);
}

/** Stops the report of a recovery; the quarantined files stay. */
export async function acknowledgeRecovery(store: Store): Promise<void> {
  await store.write((db) => writeMeta(db, META_KEY, undefined));
}
