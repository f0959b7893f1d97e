import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { CairnError, type RequestContext } from '../../kernel/index.ts';
import { backUp } from '../health/backups.ts';
import { actorOf } from '../remember/provenance.ts';
import { record } from '../remember/write-entry.ts';
import type { MemoryRuntime, OpenMemory, Scope, ScopeReport, ScopeRequest } from '../runtime.ts';
import { type BatchRun, giveBackLease, IMPORT_LEASE, takeLease } from './batches.ts';
import { importJsonl } from './import-jsonl.ts';
import { importOldFile } from './import-old-file.ts';
import { parseHeader } from './parse-line.ts';
import { toFileError } from './private-file.ts';
import { type ImportReport, ImportTally } from './report.ts';

export interface ImportRequest extends ScopeRequest {
  /** Absolute; from the command line alone. */
  readonly path: string;
  /** Telemetry of the old hooks is taken in as well. */
  readonly includeNoise?: boolean | undefined;
}

export interface ImportAnswer extends ImportReport {
  readonly path: string;
  readonly sha256: string;
  readonly warnings: readonly string[];
  readonly scope: ScopeReport;
}

/**
 * Takes a file in: an export of Cairn, or an `intelligence.json` of the old engine. Backs the store up first, writes in
 * short transactions under a lease, and may be repeated: what is there already is merged. Throws `not_found`,
 * `permission_denied`, `invalid_input` for a file of another kind, and `busy` while another import runs.
 */
export async function importMemory(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ImportRequest,
): Promise<ImportAnswer> {
  const kind = await detectFormat(request.path);
  const scope = await runtime.forWrite(context, request);
  const { sha256, ...report } = await importInto(runtime, context, scope, { ...request, kind });
  return { ...report, path: request.path, sha256, warnings: scope.warnings, scope: scope.report };
}

type FileKind = ImportReport['format'];

/** An import into a scope that is open; shared by the command and by the background. */
export async function importInto(
  runtime: MemoryRuntime,
  context: RequestContext,
  scope: Scope & { readonly memory: OpenMemory },
  file: { readonly path: string; readonly kind: FileKind; readonly includeNoise?: boolean | undefined },
): Promise<ImportReport & { readonly sha256: string }> {
  const { clock, ids, embedder } = runtime.deps;
  const { store } = scope.memory;
  const run: BatchRun = {
    store,
    clock,
    lease: IMPORT_LEASE,
    holder: { owner: ids.next('run'), pid: process.pid, host: hostname() },
    signal: context.signal,
  };
  const sha256 = await hashFile(file.path);
  await takeLease(run);
  try {
    await backUp(runtime, scope.memory, 'import');
    const tally = new ImportTally();
    const actor = actorOf(context);
    const countTokens = (text: string): number | undefined => embedder.countTokens(text);
    if (file.kind === 'cairn-jsonl') {
      await importJsonl({ ...run, path: file.path, context: { ids, countTokens, now: clock.now(), tally } });
    } else {
      await importOldFile({
        ...run,
        path: file.path,
        label: labelOf(scope, file.path),
        fileHash: sha256,
        includeNoise: file.includeNoise === true,
        context: { ids, actor, countTokens },
        tally,
      });
    }
    const report = tally.toReport(file.kind);
    await store.write((db) => {
      const at = clock.now();
      // Counts alone: an item of the file may be erased later, and must not live on in a report.
      const counts = { ...report, rejected: report.rejectedCount, salvaged: report.salvaged?.items };
      db.run('INSERT OR REPLACE INTO imported_file (sha256, path, report, at) VALUES (?, ?, ?, ?)', [
        Buffer.from(sha256, 'hex'),
        labelOf(scope, file.path),
        JSON.stringify(counts),
        at,
      ]);
      record(
        { db, ids, at, actor, countTokens },
        { op: 'import', payload: { sha256, imported: report.imported, merged: report.merged } },
      );
    });
    return { ...report, sha256 };
  } finally {
    await giveBackLease(run);
  }
}

/** What the first line says the file is. */
async function detectFormat(path: string): Promise<FileKind> {
  let start: string;
  try {
    if (!statSync(path).isFile())
      throw new CairnError('invalid_input', `${path} is not a regular file.`, { field: 'path' });
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(4096);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      start = buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw toFileError(error, path);
  }
  const firstLine = start.split('\n', 1)[0] ?? '';
  const header = parseHeader(firstLine);
  if (!('bad' in header)) return 'cairn-jsonl';
  if (firstLine.includes('"memory-export"'))
    throw new CairnError('invalid_input', `${path}: ${header.bad}.`, { field: 'path' });
  // A byte-order mark counts as white space here.
  if (start.trimStart().startsWith('{')) return 'intelligence-json';
  throw new CairnError('invalid_input', `${path} is neither an export of Cairn nor an intelligence.json.`, {
    field: 'path',
  });
}

/** SHA-256 of a file's bytes in hex; reads in pieces. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    throw toFileError(error, path);
  }
  return hash.digest('hex');
}

/** What provenance says of a file: project-relative inside the project, else its bare name. */
function labelOf(scope: Scope, path: string): string {
  const root = scope.location?.root;
  const inside = root === undefined ? '..' : relative(root, path);
  return inside.startsWith('..') || isAbsolute(inside) ? basename(path) : inside.split(sep).join('/');
}
