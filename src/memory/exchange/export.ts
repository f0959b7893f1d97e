import { CairnError, type RequestContext, throwIfCancelled } from '../../kernel/index.ts';
import type { MemoryRuntime, ScopeReport, ScopeRequest } from '../runtime.ts';
import { type ExportTally, exportLines } from './export-jsonl.ts';
import { writeMarkdown } from './export-markdown.ts';
import { ruvectorPieces } from './export-ruvector.ts';
import { writePrivateFile } from './private-file.ts';

export interface ExportRequest extends ScopeRequest {
  /** `jsonl` is lossless and can be imported; the others are for readers and for the old engine. */
  readonly format: 'jsonl' | 'markdown' | 'ruvector';
  /** Absolute; a file, for `markdown` a folder. From the command line alone. */
  readonly path: string;
}

export interface ExportAnswer {
  readonly path: string;
  readonly format: ExportRequest['format'];
  readonly entries: number;
  /** Lines, items or files written, the header aside. */
  readonly records: number;
  readonly bytes: number;
  /** Secrets that old rows still held; they are not in the export. */
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
  readonly warnings: readonly string[];
  readonly scope: ScopeReport;
}

/**
 * Writes the memory of a project to a file of mode 0600. Everything is cleaned and redacted once more on its way out.
 * Throws `not_found` where nothing has been stored yet, and what the file system refuses.
 */
export async function exportMemory(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ExportRequest,
): Promise<ExportAnswer> {
  const scope = await runtime.forRead(context, request);
  const { memory } = scope;
  if (memory === undefined)
    throw new CairnError('not_found', 'Nothing has been stored here yet, so there is nothing to export.');
  const { store } = memory;
  const at = runtime.deps.clock.now();
  const tally: ExportTally = { lines: 0, entries: 0, removed: 0, redactions: new Map() };
  let bytes: number;
  if (request.format === 'markdown') bytes = await writeMarkdown(store, request.path, tally, context.signal);
  else {
    const pieces =
      request.format === 'jsonl'
        ? exportLines(store, { project_id: store.projectId, exported_at: at }, tally)
        : ruvectorPieces(store, at, tally);
    bytes = await writePrivateFile(request.path, untilCancelled(pieces, context));
  }
  return {
    path: request.path,
    format: request.format,
    entries: tally.entries,
    records: tally.lines,
    bytes,
    redactions: [...tally.redactions].map(([kind, count]) => ({ kind, count })),
    warnings: [
      ...scope.warnings,
      ...(tally.removed === 0 ? [] : [`${tally.removed} control or invisible characters of old rows were left out`]),
    ],
    scope: scope.report,
  };
}

async function* untilCancelled(
  pieces: Iterable<string> | AsyncIterable<string>,
  context: RequestContext,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    throwIfCancelled(context.signal);
    yield piece;
  }
}
