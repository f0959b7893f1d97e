import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/index.ts';
import {
  type Migration,
  type OpenStore,
  type OpenStoreOptions,
  openStore,
  type StorageWorker,
  type TruthTables,
} from '../../../src/storage/index.ts';

/** A small room of its own: notes with a checksum, a child table, and a full-text index without content. */
export const notesMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'notes',
    apply(db) {
      db.exec(`
        CREATE TABLE note (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, length INTEGER NOT NULL) STRICT;
        CREATE TABLE comment (id INTEGER PRIMARY KEY, note TEXT NOT NULL REFERENCES note (id), text TEXT NOT NULL) STRICT;
        CREATE VIRTUAL TABLE note_fts USING fts5(text, content='', contentless_delete=1);
      `);
    },
  },
];

export const notesTruth: TruthTables = {
  tables: ['note', 'comment'],
  countSql: 'SELECT count(*) FROM note',
  discardInvalid: (db) => {
    db.run('DELETE FROM comment WHERE note IN (SELECT id FROM note WHERE length(text) <> length)');
    db.run('DELETE FROM note WHERE length(text) <> length');
  },
  rebuild: (db) => {
    db.run('INSERT INTO note_fts (rowid, text) SELECT seq, text FROM note');
  },
};

/** The worker as tests start it: from its source. */
export const worker: StorageWorker = { entry: new URL('worker-entry.mjs', import.meta.url) };

export function storePathIn(folder: string): string {
  return join(folder, '.cairn', 'memory.db');
}

export function openNotes(path: string, options: Partial<OpenStoreOptions> = {}): Promise<OpenStore> {
  return openStore({ path, mode: 'create', clock: systemClock, migrations: notesMigrations, ...options });
}

export async function addNote(store: OpenStore, id: string, text = `text of ${id}`): Promise<void> {
  await store.write((db) => {
    const { lastInsertRowid } = db.run('INSERT INTO note (id, text, length) VALUES (?, ?, length(?2))', [id, text]);
    db.run('INSERT INTO note_fts (rowid, text) VALUES (?, ?)', [lastInsertRowid, text]);
  });
}

export async function addNotes(store: OpenStore, from: number, count: number): Promise<void> {
  await store.write((db) => {
    for (let i = from; i < from + count; i++) {
      const text = `note ${i} ${'lorem ipsum dolor '.repeat(20)}`;
      const { lastInsertRowid } = db.run('INSERT INTO note (id, text, length) VALUES (?, ?, length(?2))', [
        `n${i}`,
        text,
      ]);
      db.run('INSERT INTO note_fts (rowid, text) VALUES (?, ?)', [lastInsertRowid, text]);
    }
  });
}

export function noteIds(store: OpenStore): string[] {
  return store.db.all<{ id: string }>('SELECT id FROM note ORDER BY seq').map(({ id }) => id);
}

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'succeeded',
    (error: unknown) => (error as { code?: unknown }).code,
  );
}
