export { type BackupDeps, createBackup, createDailyBackup, listBackups, verifyDatabase } from './backup.ts';
export type { Database, Migration, SqlParameters, SqlValue, Store } from './database.ts';
export { eraseResidue, rewriteBackups } from './erase.ts';
export { acquireLease, LEASE_SCHEMA, type Lease, type LeaseHolder, listLeases, releaseLease } from './lease.ts';
export { readMeta, toProjectId, writeMeta } from './meta.ts';
export type { MigrationReport } from './migrate.ts';
export { type OpenStore, type OpenStoreOptions, openStore } from './open-store.ts';
export { type FileState, probeStore } from './probe.ts';
export {
  acknowledgeRecovery,
  openRecovering,
  type RecoverOptions,
  type Recovery,
  readRecovery,
  recoverStore,
  type TruthTables,
} from './recovery.ts';
export { type RestoreOptions, type RestoreReport, restoreBackup } from './restore.ts';
export type { Backup, BackupReason } from './retention.ts';
export { readStoreFile, recordEntryCount, type StoreFile } from './store-file.ts';
export type { Verification } from './verify.ts';
export type { StorageWorker } from './worker-client.ts';
