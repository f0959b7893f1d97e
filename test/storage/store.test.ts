import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { openStore, probeStore, readStoreFile, recordEntryCount } from '../../src/storage/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { addNote, codeOf, noteIds, notesMigrations, openNotes, storePathIn } from './support/notes.ts';

describe('opening', () => {
  it('M57 makes private files in a private folder under umask 000, and one ignore file', async () => {
    const old = process.umask(0);
    onTestFinished(() => void process.umask(old));
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    await addNote(store, 'a');
    const folder = dirname(path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(folder).sort()).toEqual([
      '.gitignore',
      'memory.db',
      'memory.db-shm',
      'memory.db-wal',
      'store.json',
    ]);
    store.close();
  });

  it('M57 never overwrites an ignore file, and adds none to a folder that was there', async () => {
    const path = storePathIn(temporaryFolder());
    (await openNotes(path)).close();
    writeFileSync(join(dirname(path), '.gitignore'), '# mine\n');
    (await openNotes(path)).close();
    expect(readFileSync(join(dirname(path), '.gitignore'), 'utf8')).toBe('# mine\n');
  });

  it('uses the settings that durability and erasing rest on', async () => {
    const store = await openNotes(storePathIn(temporaryFolder()));
    const pragma = (name: string): unknown =>
      Object.values(store.db.get<Record<string, unknown>>(`PRAGMA ${name}`) ?? {})[0];
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('secure_delete')).toBe(1);
    expect(pragma('page_size')).toBe(8192);
    expect(pragma('busy_timeout')).toBe(0);
    store.close();
  });

  it('gives the same id and the same rows to the next opening, and runs no migration then', async () => {
    const path = storePathIn(temporaryFolder());
    const first = await openNotes(path);
    await addNote(first, 'a');
    first.close();
    const second = await openNotes(path);
    expect(second.projectId).toBe(first.projectId);
    expect(second.projectId).toMatch(/^prj_[0-9a-z]{26}$/);
    expect(second.migration).toBeUndefined();
    expect(first.migration).toEqual({ from: -1, to: 1, steps: ['notes'] });
    expect(noteIds(second)).toEqual(['a']);
    second.close();
  });

  it('opens an existing store while another process holds the write lock: no write, no lock', async () => {
    const path = storePathIn(temporaryFolder());
    const first = await openNotes(path);
    first.db.exec('BEGIN IMMEDIATE');
    const second = await openNotes(path);
    expect(second.schemaVersion).toBe(1);
    first.db.exec('ROLLBACK');
    first.close();
    second.close();
  });

  it('says not_found where nothing is there, and makes nothing', async () => {
    const path = storePathIn(temporaryFolder());
    expect(probeStore(path)).toBe('absent');
    expect(await codeOf(openNotes(path, { mode: 'existing' }))).toBe('not_found');
    expect(await codeOf(openNotes(path, { mode: 'read-only' }))).toBe('not_found');
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('a read-only opening leaves no side file and sees what is written later', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    await addNote(store, 'a');
    store.close();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    const before = readdirSync(dirname(path)).sort();
    const reader = await openNotes(path, { mode: 'read-only' });
    expect(noteIds(reader)).toEqual(['a']);
    expect(readdirSync(dirname(path)).sort()).toEqual(before);
    expect(await codeOf(reader.write(() => 1))).toBe('read_only');

    const writer = await openNotes(path);
    await addNote(writer, 'b');
    expect(noteIds(reader)).toEqual(['a', 'b']);
    reader.close();
    writer.close();
  });

  it('keeps a rollback journal, with a warning, where the file system has no shared memory', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path, { vfs: 'unix-dotfile' });
    expect(store.warnings).toEqual([expect.stringContaining('journal_mode=delete')]);
    await addNote(store, 'a');
    expect(noteIds(store)).toEqual(['a']);
    expect(existsSync(`${path}-wal`)).toBe(false);
    store.close();
  });

  it('M106 takes a missing or empty database beside store.json for damage, never for a new store', async () => {
    const path = storePathIn(temporaryFolder());
    (await openNotes(path)).close();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    writeFileSync(path, '');
    expect(probeStore(path)).toBe('damaged');
    expect(await codeOf(openNotes(path))).toBe('store_damaged');
    rmSync(path);
    expect(await codeOf(openNotes(path))).toBe('store_damaged');
    expect(await codeOf(openNotes(path, { mode: 'read-only' }))).toBe('store_damaged');
    expect(existsSync(path)).toBe(false);
  });

  it('does not follow a link in place of the database', async () => {
    const folder = temporaryFolder();
    const foreign = storePathIn(join(folder, 'foreign'));
    (await openNotes(foreign)).close();
    const path = join(folder, 'memory.db');
    symlinkSync(foreign, path);
    expect(await codeOf(openNotes(path))).toBe('path_outside_project');
    expect(await codeOf(openNotes(path, { mode: 'read-only' }))).toBe('path_outside_project');
  });

  it('keeps the entry count in store.json over openings', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    recordEntryCount(store, 7);
    store.close();
    (await openNotes(path)).close();
    expect(readStoreFile(dirname(path))).toEqual({ project_id: store.projectId, schema_version: 1, entries: 7 });
  });
});

describe('writing', () => {
  it('rolls everything back when the body throws, and passes the error', async () => {
    const store = await openNotes(storePathIn(temporaryFolder()));
    const failing = store.write((db) => {
      db.run("INSERT INTO note (id, text, length) VALUES ('a', 'x', 1)");
      throw new RangeError('no');
    });
    await expect(failing).rejects.toBeInstanceOf(RangeError);
    expect(noteIds(store)).toEqual([]);
    await addNote(store, 'b');
    expect(noteIds(store)).toEqual(['b']);
    store.close();
  });

  it('refuses an asynchronous body: no transaction may stay open across a turn of the loop', async () => {
    const store = await openNotes(storePathIn(temporaryFolder()));
    await expect(store.write(async () => 1)).rejects.toThrow('asynchronous');
    store.close();
  });

  it('runs the writes of one process in the order in which they were asked for', async () => {
    const store = await openNotes(storePathIn(temporaryFolder()));
    await Promise.all(Array.from({ length: 20 }, (_, i) => addNote(store, `n${i}`)));
    expect(noteIds(store)).toEqual(Array.from({ length: 20 }, (_, i) => `n${i}`));
    store.close();
  });

  it('gives several reads one snapshot', async () => {
    const path = storePathIn(temporaryFolder());
    const reader = await openNotes(path);
    const writer = await openNotes(path);
    await addNote(writer, 'a');
    const count = 'SELECT count(*) AS n FROM note';
    reader.read((db) => {
      expect(db.get(count)).toEqual({ n: 1 });
      writer.db.run("INSERT INTO note (id, text, length) VALUES ('b', 'x', 1)");
      expect(db.get(count)).toEqual({ n: 1 });
    });
    expect(reader.db.get(count)).toEqual({ n: 2 });
    reader.close();
    writer.close();
  });

  it('gives up with store_locked after the wait, and with cancelled at once', async () => {
    const path = storePathIn(temporaryFolder());
    const holder = await openNotes(path);
    const store = await openNotes(path);
    holder.db.exec('BEGIN IMMEDIATE');
    expect(await codeOf(store.write(() => 1, { waitMs: 50 }))).toBe('store_locked');
    const stop = new AbortController();
    const waiting = codeOf(store.write(() => 1, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 20);
    expect(await waiting).toBe('cancelled');
    holder.db.exec('ROLLBACK');
    expect(await store.write(() => 1)).toBe(1);
    holder.close();
    store.close();
  });

  it('says that the store was removed instead of writing into a file that nobody can reach', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path);
    rmSync(dirname(path), { recursive: true });
    expect(await codeOf(addNote(store, 'a'))).toBe('io_error');
    store.close();
  });

  it('M103 another connection sees a write at its next statement', async () => {
    const path = storePathIn(temporaryFolder());
    const [a, b] = [await openNotes(path), await openNotes(path)];
    await addNote(a, 'one');
    expect(noteIds(b)).toEqual(['one']);
    await addNote(b, 'two');
    expect(noteIds(a)).toEqual(['one', 'two']);
    a.close();
    b.close();
  });
});

describe('schema versions', () => {
  const [first] = notesMigrations;
  const newer = [
    ...notesMigrations,
    {
      version: 2,
      name: 'author',
      apply: (db: { exec(sql: string): void }) => db.exec('ALTER TABLE note ADD COLUMN author TEXT'),
    },
  ];

  it('migrates once, after the hook for the backup', async () => {
    const path = storePathIn(temporaryFolder());
    const old = await openNotes(path);
    await addNote(old, 'a');
    old.close();
    const seen: unknown[] = [];
    const store = await openNotes(path, {
      migrations: newer,
      beforeMigration: async (before, from) => void seen.push([from, before.db.get('SELECT count(*) AS n FROM note')]),
    });
    expect(seen).toEqual([[1, { n: 1 }]]);
    expect(store.migration).toEqual({ from: 1, to: 2, steps: ['author'] });
    expect(store.db.get('SELECT id, author FROM note')).toEqual({ id: 'a', author: null });
    store.close();
  });

  it('a failing step leaves the old schema', async () => {
    const path = storePathIn(temporaryFolder());
    (await openNotes(path)).close();
    const broken = [
      ...newer,
      {
        version: 3,
        name: 'broken',
        apply: () => {
          throw new Error('defect');
        },
      },
    ];
    await expect(openNotes(path, { migrations: broken })).rejects.toThrow('defect');
    const store = await openNotes(path);
    expect(store.schemaVersion).toBe(1);
    expect(store.db.all("SELECT name FROM pragma_table_info('note') WHERE name = 'author'")).toEqual([]);
    store.close();
  });

  it('M60 a newer store is readable where it says so, and a write says store_newer', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openNotes(path, { migrations: newer, minReader: 1 });
    await addNote(store, 'a');
    store.close();
    const old = await openNotes(path);
    expect(noteIds(old)).toEqual(['a']);
    expect(await codeOf(addNote(old, 'b'))).toBe('store_newer');
    expect(noteIds(old)).toEqual(['a']);
    old.close();
  });

  it('M60 a newer store that is not readable says store_newer at once', async () => {
    const path = storePathIn(temporaryFolder());
    (await openNotes(path, { migrations: newer })).close();
    expect(await codeOf(openNotes(path))).toBe('store_newer');
    expect(await codeOf(openNotes(path, { mode: 'read-only' }))).toBe('store_newer');
  });

  it('M60 a program that is open while a newer one migrates stops writing', async () => {
    const path = storePathIn(temporaryFolder());
    const old = await openNotes(path);
    (await openNotes(path, { migrations: newer, minReader: 1 })).close();
    expect(await codeOf(addNote(old, 'a'))).toBe('store_newer');
    old.close();
  });

  it('opens a store of another program with the same steps', async () => {
    const path = storePathIn(temporaryFolder());
    const store = await openStore({
      path,
      mode: 'create',
      clock: systemClock,
      migrations: first === undefined ? [] : [first],
    });
    expect(store.schemaVersion).toBe(1);
    store.close();
  });
});
