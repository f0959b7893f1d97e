import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../src/kernel/index.ts';
import {
  createBackup,
  createDailyBackup,
  listBackups,
  readStoreFile,
  recordEntryCount,
  restoreBackup,
  verifyDatabase,
} from '../../src/storage/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  addNote,
  addNotes,
  codeOf,
  noteIds,
  notesMigrations,
  notesTruth,
  openNotes,
  storePathIn,
  worker,
} from './support/notes.ts';

const DAY = 86_400_000;

async function makeStore(): Promise<{ store: Awaited<ReturnType<typeof openNotes>>; path: string; folder: string }> {
  const root = temporaryFolder();
  const path = storePathIn(root);
  return { store: await openNotes(path), path, folder: join(root, 'backups', 'prj') };
}

describe('backups', () => {
  it('copies the store of this moment, with what is in the log alone, into a private file', async () => {
    const { store, folder } = await makeStore();
    await addNotes(store, 0, 50);
    const backup = await createBackup(store, 'manual', { clock: systemClock, folder });
    await addNote(store, 'later');
    expect(listBackups(folder)).toEqual([backup]);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/Z-manual\.db$/)]);
    expect(statSync(backup.path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await verifyDatabase(backup.path)).toEqual({ ok: true, problems: [], schemaVersion: 1 });
    const copy = await openNotes(backup.path, { mode: 'read-only' });
    expect(noteIds(copy).length).toBe(50);
    expect(copy.projectId).toBe(store.projectId);
    copy.close();
    store.close();
  });

  it('does the same in the storage worker, while writes go on', async () => {
    const { store, folder } = await makeStore();
    await addNotes(store, 0, 2_000);
    const making = createBackup(store, 'manual', { clock: systemClock, folder, worker });
    await addNote(store, 'meanwhile');
    const { path } = await making;
    expect((await verifyDatabase(path, worker)).ok).toBe(true);
    store.close();
  });

  it('tells the failure of a task in the worker by its code', async () => {
    const { store, folder } = await makeStore();
    rmSync(dirname(store.path), { recursive: true });
    expect(await codeOf(createBackup(store, 'manual', { clock: systemClock, folder, worker }))).toBe('io_error');
    expect(readdirSync(folder)).toEqual([]);
    store.close();
  });

  it('makes a daily one when a day has passed and something was written', async () => {
    const { store, path, folder } = await makeStore();
    await addNote(store, 'a');
    const clock = new ManualClock(Date.now() + 10_000);
    expect(await createDailyBackup(store, { clock, folder })).toMatchObject({ reason: 'daily' });
    const writtenAt = (time: number): void => utimesSync(`${path}-wal`, time / 1_000, time / 1_000);
    clock.advance(DAY / 2);
    writtenAt(clock.now());
    expect(await createDailyBackup(store, { clock, folder })).toBeUndefined();
    clock.advance(DAY / 2);
    expect(await createDailyBackup(store, { clock, folder })).toMatchObject({ reason: 'daily' });
    clock.advance(2 * DAY);
    expect(await createDailyBackup(store, { clock, folder })).toBeUndefined();
    store.close();
  });

  it('keeps 7 days and 4 weeks of daily ones, others for 90 days, and always the newest', async () => {
    const { store, folder } = await makeStore();
    const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
    const start = clock.now();
    await createBackup(store, 'import', { clock, folder });
    for (let day = 0; day < 60; day++) {
      await createBackup(store, 'daily', { clock, folder });
      clock.advance(DAY);
    }
    const ages = listBackups(folder).map(({ at, reason }) => `${reason} ${Math.floor((at - start) / DAY)}`);
    // Thursday-based weeks: 1970 began on a Thursday, and so did 2026.
    expect(ages).toEqual(
      [59, 58, 57, 56, 55, 54, 53].map((day) => `daily ${day}`).concat('daily 48', 'daily 41', 'import 0'),
    );
    clock.advance(40 * DAY);
    await createBackup(store, 'manual', { clock, folder });
    expect(listBackups(folder).some(({ reason }) => reason === 'import')).toBe(false);
    clock.advance(400 * DAY);
    await createBackup(store, 'manual', { clock, folder });
    expect(listBackups(folder).filter(({ reason }) => reason === 'manual').length).toBe(1);
    store.close();
  }, 60_000);

  it('stays below 500 MB in all, oldest first, and never removes the newest', async () => {
    const { store, folder } = await makeStore();
    const clock = new ManualClock();
    for (let i = 0; i < 4; i++) {
      const { path } = await createBackup(store, 'manual', { clock, folder });
      truncateSync(path, 200_000_000);
      clock.advance(1_000);
    }
    const newest = await createBackup(store, 'manual', { clock, folder });
    const kept = listBackups(folder);
    expect(kept[0]).toEqual(newest);
    expect(kept.length).toBe(3);
    store.close();
  });

  it('leaves files alone that are no backups, and reports a damaged one', async () => {
    const { store, folder } = await makeStore();
    const { path } = await createBackup(store, 'manual', { clock: systemClock, folder });
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    truncateSync(path, 9_000);
    expect((await verifyDatabase(path)).ok).toBe(false);
    await createBackup(store, 'manual', { clock: systemClock, folder });
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
    store.close();
  });
});

describe('restore', () => {
  async function scene(): Promise<{
    path: string;
    folder: string;
    options: Omit<Parameters<typeof restoreBackup>[0], 'backup'>;
    backup: string;
  }> {
    const { store, path, folder } = await makeStore();
    await addNotes(store, 0, 10);
    const { path: backup } = await createBackup(store, 'manual', { clock: systemClock, folder });
    await addNote(store, 'newer');
    recordEntryCount(store, 11);
    store.close();
    const options = {
      path,
      clock: systemClock,
      migrations: notesMigrations,
      backups: { clock: systemClock, folder },
      countSql: notesTruth.countSql,
    };
    return { path, folder, options, backup };
  }

  it('M58 saves the present state first, then gives the content of then, to programs that have it open too', async () => {
    const { path, options, backup } = await scene();
    const open = await openNotes(path);
    expect(noteIds(open).length).toBe(11);
    const report = await restoreBackup({ ...options, backup });
    expect(report).toMatchObject({ entries: 10, before: { reason: 'restore' } });
    expect(noteIds(open).length).toBe(10);
    await addNote(open, 'after');
    const other = await openNotes(path);
    expect(noteIds(other).at(-1)).toBe('after');
    expect(other.projectId).toBe(open.projectId);
    expect(readStoreFile(dirname(path))?.entries).toBe(10);
    const before = await openNotes(report.before?.path ?? '', { mode: 'read-only' });
    expect(noteIds(before)).toContain('newer');
    for (const store of [before, open, other]) store.close();
    expect((await verifyDatabase(path)).ok).toBe(true);
  });

  it('M58 waits for a writer of another connection', async () => {
    const { path, options, backup } = await scene();
    const open = await openNotes(path);
    open.db.exec('BEGIN IMMEDIATE');
    setTimeout(() => open.db.exec('ROLLBACK'), 300);
    await restoreBackup({ ...options, backup });
    expect(noteIds(open).length).toBe(10);
    open.close();
  });

  it('M58 refuses a damaged backup and changes nothing', async () => {
    const { path, options, backup, folder } = await scene();
    truncateSync(backup, 9_000);
    await expect(restoreBackup({ ...options, backup })).rejects.toMatchObject({
      code: 'store_damaged',
      field: 'backup',
    });
    const store = await openNotes(path);
    expect(noteIds(store).length).toBe(11);
    expect(listBackups(folder).length).toBe(1);
    store.close();
  });

  it('M58 brings an older schema up to date before anybody sees it', async () => {
    const { path, options, backup } = await scene();
    const migrations = [
      ...notesMigrations,
      {
        version: 2,
        name: 'author',
        apply: (db: { exec(sql: string): void }) => db.exec('ALTER TABLE note ADD COLUMN author TEXT'),
      },
    ];
    const open = await openNotes(path, { migrations });
    await restoreBackup({ ...options, migrations, backup });
    expect(open.db.get('SELECT count(author) AS n FROM note')).toEqual({ n: 0 });
    expect(noteIds(open).length).toBe(10);
    open.close();
  });

  it('takes the place of a damaged or a missing store', async () => {
    const { path, options, backup } = await scene();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    truncateSync(path, 9_000);
    const report = await restoreBackup({ ...options, backup });
    expect(report.before).toBeUndefined();
    expect(readFileSync(report.quarantined_path ?? '').length).toBe(9_000);
    let store = await openNotes(path);
    expect(noteIds(store).length).toBe(10);
    store.close();

    const kept = join(dirname(dirname(path)), 'kept.db');
    copyFileSync(backup, kept);
    rmSync(dirname(path), { recursive: true });
    await restoreBackup({ ...options, backup: kept });
    store = await openNotes(path);
    expect(noteIds(store).length).toBe(10);
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith('restore-'))).toEqual([]);
    store.close();
  });
});
