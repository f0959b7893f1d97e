import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../../storage/index.ts';
import { readMeta, writeMeta } from '../../storage/index.ts';
import type { MemoryRuntime, OpenMemory, Scope } from '../runtime.ts';

/** The old engine's file, in the folder that the store is in. Files elsewhere are imported on request alone. */
const OLD_FILE = 'intelligence.json';

/** Key in `meta`: size and time of the old file when it was last taken in. Cheaper to compare than a hash. */
const STAMP = 'old_file_stamp';

export interface OldFile {
  readonly path: string;
  readonly stamp: string;
}

/** The old file beside a store; one look at the file system. */
export function findOldFile(storePath: string): OldFile | undefined {
  const path = join(dirname(storePath), OLD_FILE);
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? { path, stamp: `${stat.size}:${Math.round(stat.mtimeMs)}` } : undefined;
}

function isTakenIn(memory: OpenMemory | undefined, file: OldFile): boolean {
  return memory !== undefined && readMeta(memory.store.db, STAMP) === file.stamp;
}

/**
 * Whether an old file lies beside the store and has not been taken in yet, by this process or another: then recall
 * searches less than there is. One look at the file system and one row; never true where nothing may be written.
 */
export function isImporting(runtime: MemoryRuntime, scope: Scope): boolean {
  if (runtime.deps.readOnly || scope.memory?.store.readOnly === true) return false;
  const file = findOldFile(scope.report.store_path);
  return file !== undefined && !isTakenIn(scope.memory, file);
}

/** Notes that the file as it is now has been taken in. Inside a write. */
export function markTakenIn(db: Database, file: OldFile): void {
  writeMeta(db, STAMP, file.stamp);
}
