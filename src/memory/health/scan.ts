import { CairnError, type RequestContext, throwIfCancelled } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { type CleanRevision, cleanRevision } from '../exchange/clean-revision.ts';
import { openForChange } from '../lifecycle/change.ts';
import { eraseTraces } from '../lifecycle/traces.ts';
import type { RevisionFields } from '../model.ts';
import type { MemoryRuntime, ScopeReport, ScopeRequest } from '../runtime.ts';
import { reindexEntry } from '../store/apply-event.ts';
import { rebuildTables } from './rebuild.ts';
import { contentHashOfRevision } from './revision-hash.ts';

export interface ScanRequest extends ScopeRequest {
  /** Takes out what was found; without it the scan only reports. */
  readonly fix?: boolean | undefined;
}

export interface ScanAnswer {
  /** Entries of which some text, the history included, holds a secret or an invisible character. */
  readonly entries: readonly { readonly id: string; readonly secrets: number; readonly invisible: number }[];
  readonly fixed: boolean;
  readonly backupsRewritten: number;
  readonly scope: ScopeReport;
  readonly warnings: readonly string[];
}

interface RevisionRow {
  readonly key: number;
  readonly entry_key: number;
  readonly id: string;
  readonly text: string;
  readonly fields: string;
  readonly is_current: number;
}

const PAGE = 64;

function readPage(db: Database, after: number): RevisionRow[] {
  return db.all<RevisionRow>(
    `SELECT r.key, r.entry_key, i.id, r.text, r.fields, e.revision_key = r.key AS is_current FROM revision r
     JOIN entry e ON e.key = r.entry_key JOIN entry_identity i ON i.key = r.entry_key
     WHERE r.key > ? AND r.text <> '' ORDER BY r.key LIMIT ?`,
    [after, PAGE],
  );
}

function writeClean(db: Database, key: number, clean: CleanRevision): Uint8Array | null {
  const fields = JSON.stringify(clean.fields);
  const hash = contentHashOfRevision(clean.text, fields) ?? null;
  db.run('UPDATE revision SET text = ?, fields = ?, content_hash = COALESCE(?, content_hash) WHERE key = ?', [
    clean.text,
    fields,
    hash,
    key,
  ]);
  return hash;
}

function rewrite(db: Database, row: RevisionRow, clean: CleanRevision, runtime: MemoryRuntime): void {
  const hash = writeClean(db, row.key, clean);
  if (row.is_current === 0) return;
  // Two texts that differed in their secrets alone may be equal now; then each keeps the identity it had.
  db.run('UPDATE OR IGNORE entry SET content_hash = COALESCE(?, content_hash) WHERE key = ?', [hash, row.entry_key]);
  reindexEntry(db, row.entry_key, (text) => runtime.deps.embedder.countTokens(text));
}

/** The same in a backup, whose search tables are then made again: they hold the words of the old texts. */
function rewriteIn(db: Database): void {
  let changed = 0;
  for (let after = 0; ; ) {
    const rows = db.all<Pick<RevisionRow, 'key' | 'text' | 'fields'>>(
      "SELECT key, text, fields FROM revision WHERE key > ? AND text <> '' ORDER BY key LIMIT ?",
      [after, PAGE],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.key;
    for (const { key, text, fields } of rows) {
      const clean = cleanRevision(text, JSON.parse(fields) as RevisionFields);
      if (!clean.isChanged) continue;
      changed += 1;
      writeClean(db, key, clean);
    }
  }
  if (changed > 0) rebuildTables(db, () => undefined, { isTolerant: true });
}

/**
 * Looks through every text, the history included, for secrets and invisible characters that an older rule let in, and
 * with `fix` takes them out of the store, its log and its backups. For a person, on the command line. Throws `not_found`.
 */
export async function scanOldRows(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScanRequest,
): Promise<ScanAnswer> {
  const { scope, stored } = await openForChange(runtime, context, request);
  if (stored === undefined) throw new CairnError('not_found', 'Nothing has been stored here yet.');
  const { store } = stored.memory;
  const found = new Map<string, { secrets: number; invisible: number }>();
  for (let after = 0; ; ) {
    throwIfCancelled(context.signal);
    const rows = readPage(store.db, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.key;
    const changed = rows
      .map((row) => ({ row, clean: cleanRevision(row.text, JSON.parse(row.fields) as RevisionFields) }))
      .filter(({ clean }) => clean.isChanged);
    for (const { row, clean } of changed) {
      const sum = found.get(row.id) ?? { secrets: 0, invisible: 0 };
      sum.secrets += clean.redactions.reduce((count, redaction) => count + redaction.count, 0);
      sum.invisible += clean.removed;
      found.set(row.id, sum);
    }
    if (request.fix === true && changed.length > 0) {
      await store.write((db) => {
        for (const { row, clean } of changed) rewrite(db, row, clean, runtime);
      });
    }
    await new Promise(setImmediate);
  }
  const isFixed = request.fix === true && found.size > 0;
  const traces = isFixed ? await eraseTraces(runtime, stored.memory, rewriteIn) : undefined;
  return {
    entries: [...found].map(([id, counts]) => ({ id, ...counts })),
    fixed: isFixed,
    backupsRewritten: traces?.backupsRewritten ?? 0,
    scope: scope.report,
    warnings: [...scope.warnings, ...(traces?.warnings ?? [])],
  };
}
