import { isCairnError, type RequestContext } from '../../kernel/index.ts';
import type { MemoryRuntime, OpenMemory, Scope, ScopeRequest } from '../runtime.ts';
import { hashFile, importInto } from './import.ts';
import { findOldFile, isImporting, markTakenIn } from './old-file-state.ts';
import type { ImportReport } from './report.ts';

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
  await store.write((db) => markTakenIn(db, file));
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
