import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCairnError, type RequestContext } from '../../kernel/index.ts';
import { readMeta, writeMeta } from '../../storage/index.ts';
import type { MemoryRuntime, OpenMemory, Scope, ScopeRequest } from '../runtime.ts';
import { hashFile, importInto } from './import.ts';
import type { ImportReport } from './report.ts';

/** The old engine's file, in the folder that the store is in. Files elsewhere are imported on request alone. */
const OLD_FILE = 'intelligence.json';

/** Key in `meta`: size and time of the old file when it was last taken in. Cheaper to compare than a hash. */
const STAMP = 'old_file_stamp';

interface OldFile {
  readonly path: string;
  readonly stamp: string;
}

function findOldFile(storePath: string): OldFile | undefined {
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

/**
 * Takes in the old file beside the store where that has not been done for its present content; for the background and
 * for commands. Gives undefined where there is nothing to do or another process is at it. The file itself is only read.
 */
export async function takeInOldFile(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<ImportReport | undefined> {
  const seen = await runtime.forRead(context, request);
  if (!isImporting(runtime, seen)) return undefined;
  const file = findOldFile(seen.report.store_path);
  if (file === undefined) return undefined;
  const scope = await runtime.forWrite(context, request);
  const { store } = scope.memory;
  const sha256 = await hashFile(file.path);
  const isKnown =
    store.db.get('SELECT 1 FROM imported_file WHERE sha256 = ?', [Buffer.from(sha256, 'hex')]) !== undefined;
  const report = isKnown ? undefined : await importUnlessBusy(runtime, context, scope, file.path);
  if (report === 'busy') return undefined;
  // A file that changed meanwhile has another stamp by now, and is looked at again.
  await store.write((db) => writeMeta(db, STAMP, file.stamp));
  return report;
}

async function importUnlessBusy(
  runtime: MemoryRuntime,
  context: RequestContext,
  scope: Scope & { readonly memory: OpenMemory },
  path: string,
): Promise<ImportReport | 'busy'> {
  try {
    return await importInto(runtime, context, scope, { path, kind: 'intelligence-json' });
  } catch (error) {
    if (isCairnError(error) && error.code === 'busy') return 'busy';
    throw error;
  }
}
