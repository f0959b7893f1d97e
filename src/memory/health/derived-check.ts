import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBackup, type Database, openStore } from '../../storage/index.ts';
import type { MemoryRuntime, OpenMemory } from '../runtime.ts';
import { MEMORY_MIGRATIONS } from '../schema/migrations.ts';
import { type Check, fault, ok, plural } from './check.ts';
import { rebuildTables } from './rebuild.ts';

/** What is compared, table by table. Keys of passages are the file's own affair. */
const COMPARED: readonly { readonly table: string; readonly sql: string }[] = [
  { table: 'entry', sql: 'SELECT * FROM entry ORDER BY key' },
  { table: 'entry_tag', sql: 'SELECT * FROM entry_tag ORDER BY tag, entry_key' },
  { table: 'entry_file', sql: 'SELECT * FROM entry_file ORDER BY path, entry_key' },
  { table: 'signature', sql: 'SELECT * FROM signature ORDER BY key, entry_key' },
  { table: 'passage', sql: 'SELECT entry_key, n, start, "end", terms, bag FROM passage ORDER BY entry_key, n' },
  { table: 'entry_fts', sql: 'SELECT rowid FROM entry_fts ORDER BY rowid' },
  { table: 'identifier_tri', sql: 'SELECT rowid FROM identifier_tri ORDER BY rowid' },
];

function digests(db: Database): Map<string, string> {
  return new Map(COMPARED.map(({ table, sql }) => [table, digestOf(db, sql)]));
}

function digestOf(db: Database, sql: string): string {
  const hash = createHash('sha256');
  for (const row of db.iterate<Record<string, unknown>>(sql)) {
    for (const value of Object.values(row)) {
      hash.update(value instanceof Uint8Array ? value : String(value));
      hash.update('\0');
    }
  }
  return hash.digest('hex');
}

/**
 * Whether the derived tables are what the log says. The log is replayed in a copy inside the store folder, which goes
 * again, so nothing waits for it and the store itself is not touched.
 */
export async function checkDerived(runtime: MemoryRuntime, memory: OpenMemory): Promise<Check> {
  const { clock, ids, embedder, storageWorker } = runtime.deps;
  const folder = mkdtempSync(join(dirname(memory.store.path), 'doctor-'));
  try {
    const copy = await createBackup(memory.store, 'manual', {
      clock,
      folder,
      ...(storageWorker === undefined ? {} : { worker: storageWorker }),
    });
    const store = await openStore({ path: copy.path, mode: 'existing', clock, ids, migrations: MEMORY_MIGRATIONS });
    try {
      const before = digests(store.db);
      await store.write((db) => rebuildTables(db, (text) => embedder.countTokens(text)));
      const after = digests(store.db);
      const differing = [...before].filter(([table, digest]) => after.get(table) !== digest).map(([table]) => table);
      if (differing.length === 0) return ok('derived', 'The search tables are what the log says.');
      return fault(
        'derived',
        `${plural(differing.length, 'search table')} differ from the log: ${differing.join(', ')}.`,
        'cairn doctor --rebuild',
      );
    } finally {
      store.close();
    }
  } catch (error) {
    return fault(
      'derived',
      `The log cannot be replayed: ${error instanceof Error ? error.message : String(error)}.`,
      'cairn memory restore',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
