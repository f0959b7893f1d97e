import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { createBackup, type Database, eraseResidue, rewriteBackups, verifyDatabase } from '../../src/storage/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { addNote, addNotes, noteIds, openNotes, storePathIn, worker } from './support/notes.ts';

/** 64 bytes; letters only, so that the full-text index keeps it as one term. */
const MARKER = 'zq'.repeat(32);

function filesWith(folder: string, text: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
}

function eraseMarked(db: Database): void {
  for (const { seq } of db.all<{ seq: number }>("SELECT seq FROM note WHERE id = 'marked'")) {
    db.run('DELETE FROM note_fts WHERE rowid = ?', [seq]);
    db.run('DELETE FROM note WHERE seq = ?', [seq]);
  }
}

describe('erase', () => {
  it.each([
    ['in the calling thread', {}],
    ['in the storage worker', { worker }],
  ])('M114 leaves the marker in no file of the store: database, log, full-text index (%s)', async (_, where) => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    await addNotes(store, 0, 200);
    await addNote(store, 'marked', `before ${MARKER} after`);
    await addNotes(store, 200, 200);
    expect(filesWith(dirname(path), MARKER)).not.toEqual([]);
    await store.write(eraseMarked);
    const options = { fullTextTables: ['note_fts'], clock: systemClock, ...where };
    expect(await eraseResidue(store, options)).toEqual({ logPending: false });
    expect(filesWith(dirname(path), MARKER)).toEqual([]);
    expect(noteIds(store).length).toBe(400);
    expect((await verifyDatabase(path)).ok).toBe(true);
    store.close();
  });

  it('M114 says logPending while a reader holds the log, and a later call finishes', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    await addNote(store, 'marked', MARKER);
    const reader = await openNotes(path);
    const rows = reader.db.iterate('SELECT id FROM note');
    rows.next();
    await store.write(eraseMarked);
    const options = { fullTextTables: ['note_fts'], clock: systemClock };
    expect(await eraseResidue(store, options)).toEqual({ logPending: true });
    rows.return?.();
    expect(await eraseResidue(store, options)).toEqual({ logPending: false });
    expect(filesWith(dirname(path), MARKER)).toEqual([]);
    reader.close();
    store.close();
  });

  it('M114 takes it out of the backups too; they stay sound and complete', async () => {
    const root = temporaryFolder();
    const store = await openNotes(storePathIn(root));
    const folder = join(root, 'backups');
    await addNotes(store, 0, 100);
    await addNote(store, 'marked', `before ${MARKER} after`);
    const first = await createBackup(store, 'manual', { clock: systemClock, folder });
    const second = await createBackup(store, 'manual', { clock: systemClock, folder });
    expect(filesWith(folder, MARKER).length).toBe(2);
    const report = await rewriteBackups(folder, { erase: eraseMarked, fullTextTables: ['note_fts'] });
    expect(report).toEqual({ rewritten: [second.path, first.path], deleted: [] });
    expect(filesWith(folder, MARKER)).toEqual([]);
    expect(readdirSync(folder).length).toBe(2);
    for (const { path } of [first, second]) {
      expect((await verifyDatabase(path)).ok).toBe(true);
      const backup = await openNotes(path, { mode: 'read-only' });
      expect(noteIds(backup).length).toBe(100);
      backup.close();
    }
    store.close();
  });
});
