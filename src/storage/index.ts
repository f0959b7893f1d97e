export type { Database, Migration, SqlParameters, SqlValue, Store } from './database.ts';
export { readMeta, writeMeta } from './meta.ts';
export type { MigrationReport } from './migrate.ts';
export { type OpenStore, type OpenStoreOptions, openStore } from './open-store.ts';
export { type FileState, probeStore } from './probe.ts';
export { readStoreFile, type StoreFile, writeStoreFile } from './store-file.ts';
