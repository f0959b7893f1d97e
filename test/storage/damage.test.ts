import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import {
  acknowledgeRecovery,
  createBackup,
  type OpenStore,
  openRecovering,
  readRecovery,
  readStoreFile,
  recordEntryCount,
  recoverStore,
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

const NOTES = 400;

interface Scene {
  readonly path: string;
  readonly options: Parameters<typeof openRecovering>[0];
}

/** A closed store of 400 notes, with its log written back; `backedUp` of them are in a backup. */
async function makeScene(backedUp: number): Promise<Scene> {
  const folder = temporaryFolder();
  const path = storePathIn(folder);
  const backups = { clock: systemClock, folder: join(folder, 'backups') };
  const store = await openNotes(path);
  if (backedUp > 0) {
    await addNotes(store, 0, backedUp);
    await createBackup(store, 'daily', backups);
  }
  await addNotes(store, backedUp, NOTES - backedUp);
  recordEntryCount(store, NOTES);
  finish(store, path);
  return {
    path,
    options: { path, mode: 'create', clock: systemClock, migrations: notesMigrations, truth: notesTruth, backups },
  };
}

function finish(store: OpenStore, path: string): void {
  store.close();
  replaceBytes(path, readFileSync(path));
}

/** The file as another process would find it: no connection of this one shares its inode. */
function replaceBytes(path: string, bytes: Uint8Array): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  writeFileSync(path, bytes, { mode: 0o600 });
}

function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

/** The same "random" bytes on each run. */
function noise(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 2_654_435_761) >>> 13);
}

function sameCopyInQuarantine(path: string, damaged: Buffer): boolean {
  const folder = join(dirname(path), 'quarantine');
  return readdirSync(folder).some((name) => readFileSync(join(folder, name, 'memory.db')).equals(damaged));
}

describe('damage', () => {
  it('M106 a store that is cut is joined with the newest backup; the original is in quarantine', async () => {
    const { path, options } = await makeScene(300);
    truncateSync(path, Math.floor(statSync(path).size * 0.6) + 17);
    const damaged = readFileSync(path);
    expect(await codeOf(openNotes(path))).toBe('store_damaged');
    expect(await codeOf(openNotes(path, { mode: 'read-only' }))).toBe('store_damaged');

    const store = await openRecovering(options);
    const recovery = readRecovery(store.db);
    expect(recovery?.salvaged).toBeGreaterThan(50);
    expect((recovery?.salvaged ?? 0) + (recovery?.from_backup ?? 0)).toBe(noteIds(store).length);
    expect(noteIds(store).length).toBeGreaterThanOrEqual(300);
    expect(readFileSync(recovery?.quarantined_path ?? '').equals(damaged)).toBe(true);
    expect(store.db.get("SELECT count(*) AS n FROM note_fts WHERE note_fts MATCH 'lorem'")).toEqual({
      n: noteIds(store).length,
    });
    expect(await verifyDatabase(path)).toEqual({ ok: true, problems: [], schemaVersion: 1 });
    store.close();
  });

  it('M106 keeps id, count and report of the recovered store until it is acknowledged', async () => {
    const { path, options } = await makeScene(400);
    const id = readStoreFile(dirname(path))?.project_id;
    truncateSync(path, 8192 * 3 + 5);
    const store = await openRecovering(options);
    expect(store.projectId).toBe(id);
    expect(readStoreFile(dirname(path))).toEqual({ project_id: id, schema_version: 1, entries: NOTES });
    expect(readRecovery(store.db)?.salvaged).toBeLessThan(NOTES);
    await acknowledgeRecovery(store);
    expect(readRecovery(store.db)).toBeUndefined();
    store.close();
  });

  it('M106 1 KB of noise in the middle is found by the check, and every other row is saved', async () => {
    const { path, options } = await makeScene(0);
    overwrite(path, Math.floor(statSync(path).size / 2 / 8192) * 8192 - 200, noise(1024));
    expect((await verifyDatabase(path)).ok).toBe(false);
    const recovery = await recoverStore(options);
    expect(recovery?.salvaged).toBeGreaterThan(NOTES * 0.8);
    const store = await openNotes(path);
    expect(noteIds(store).length).toBe(recovery?.salvaged);
    for (const { text, id } of store.db.all<{ id: string; text: string }>('SELECT id, text FROM note')) {
      expect(text.startsWith(`note ${id.slice(1)} lorem`)).toBe(true);
    }
    store.close();
  });

  it('M106 noise over the first page: the rows come from the backup', async () => {
    const { path, options } = await makeScene(380);
    overwrite(path, 0, noise(1024));
    const store = await openRecovering(options);
    expect(readRecovery(store.db)).toMatchObject({ salvaged: 0, from_backup: 380 });
    store.close();
  });

  it('M106 an emptied store without a backup is refused, never started anew', async () => {
    const { path, options } = await makeScene(0);
    writeFileSync(path, '');
    const refused = openRecovering(options);
    await expect(refused).rejects.toMatchObject({ code: 'store_damaged', repair: { command: 'cairn memory restore' } });
    expect(await codeOf(openNotes(path))).toBe('store_damaged');
    expect(statSync(path).size).toBe(0);
  });

  it('M106 less than half of the known count: nothing is replaced, the original is in quarantine', async () => {
    const { path, options } = await makeScene(150);
    truncateSync(path, 8192 * 3);
    const damaged = readFileSync(path);
    expect(await codeOf(openRecovering(options))).toBe('store_damaged');
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(sameCopyInQuarantine(path, damaged)).toBe(true);
  });

  it('M106 rows that fail their own check are discarded before the backup fills the gap', async () => {
    const { path, options } = await makeScene(400);
    const bytes = readFileSync(path);
    const at = bytes.indexOf('note 7 lorem');
    expect(at).toBeGreaterThan(0);
    // Both the text and its page stay well-formed; only the checksum of the row (its length) does not fit any more.
    overwrite(path, at, Buffer.from([0, 0, 0, 0]));
    truncateSync(path, statSync(path).size - 8192);
    const store = await openRecovering(options);
    expect(store.db.get("SELECT substr(text, 1, 12) AS text FROM note WHERE id = 'n7'")).toEqual({
      text: 'note 7 lorem',
    });
    expect(noteIds(store).length).toBe(NOTES);
    store.close();
  });

  it.each([
    ['cut', (path: string) => truncateSync(path, 8192 * 4)],
    ['overwritten', (path: string) => overwrite(path, 8192 * 5, noise(1024))],
  ])('M106 a program that has the store open goes on in the recovered one (%s)', async (_, damage) => {
    const { path, options } = await makeScene(400);
    const open = await openNotes(path);
    expect(noteIds(open).length).toBe(NOTES);
    damage(path);
    await recoverStore(options);
    await addNote(open, 'after');
    expect(noteIds(open)).toContain('after');
    const other = await openNotes(path);
    expect(noteIds(other)).toContain('after');
    expect(await verifyDatabase(path)).toMatchObject({ ok: true });
    other.close();
    open.close();
  });

  it('several that find the damage at once recover it once', async () => {
    const { path, options } = await makeScene(400);
    truncateSync(path, 8192 * 4);
    const stores = await Promise.all([openRecovering(options), openRecovering(options), openRecovering(options)]);
    for (const store of stores) expect(noteIds(store).length).toBe(NOTES);
    expect(readdirSync(join(dirname(path), 'quarantine')).length).toBe(1);
    for (const store of stores) store.close();
  });

  it('leaves the damaged store of a newer program to that program', async () => {
    const { path, options } = await makeScene(400);
    const newer = [...notesMigrations, { version: 2, name: 'more', apply: () => undefined }];
    (await openNotes(path, { migrations: newer })).close();
    truncateSync(path, 9_000);
    const damaged = readFileSync(path);
    expect(await codeOf(recoverStore(options))).toBe('store_newer');
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(await recoverStore({ ...options, migrations: newer })).toMatchObject({
      quarantined_path: expect.any(String),
    });
  });

  it('leaves a sound store alone, and no working files behind', async () => {
    const { path, options } = await makeScene(400);
    const before = readFileSync(path);
    expect(await recoverStore(options)).toBeUndefined();
    expect(readFileSync(path).equals(before)).toBe(true);
    truncateSync(path, 8192 * 4);
    await recoverStore(options);
    const [folder = ''] = readdirSync(join(dirname(path), 'quarantine'));
    expect(readdirSync(join(dirname(path), 'quarantine', folder))).toEqual(['memory.db']);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('replacement'))).toEqual([]);
  });

  it('M106 never starts anew, wherever the file is cut or overwritten', { timeout: 60_000 }, async () => {
    const { path, options } = await makeScene(250);
    const sound = readFileSync(path);
    const places = fc.sample(fc.record({ cut: fc.boolean(), at: fc.nat(sound.length - 1) }), {
      numRuns: 12,
      seed: 106,
    });
    const shortest = [1, 10, 50, 99, 101, 4096].map((at) => ({ cut: true, at }));
    for (const { cut, at } of [...places, ...shortest]) {
      rmSync(dirname(path), { recursive: true });
      (await openNotes(path)).close();
      const { project_id } = readStoreFile(dirname(path)) ?? { project_id: '' };
      recordEntryCount({ path, projectId: project_id, schemaVersion: 1 }, NOTES);
      replaceBytes(path, sound);
      if (cut) truncateSync(path, at);
      else overwrite(path, Math.min(at, sound.length - 1024), noise(1024));
      const isSound = (await verifyDatabase(path)).ok;
      await recoverStore(options);
      const store = await openNotes(path);
      expect({ cut, at, isEnough: noteIds(store).length >= 250 }).toEqual({ cut, at, isEnough: true });
      expect((await verifyDatabase(path)).ok).toBe(true);
      expect(readRecovery(store.db) === undefined).toBe(isSound);
      store.close();
    }
  });

  it('takes rows from the log beside a damaged file', async () => {
    const { path, options } = await makeScene(300);
    const store = await openNotes(path);
    await addNote(store, 'only in the log');
    copyFileSync(`${path}-wal`, `${path}.kept`);
    store.close();
    copyFileSync(`${path}.kept`, `${path}-wal`);
    rmSync(`${path}-shm`, { force: true });
    overwrite(path, 8192 * 5, noise(1024));
    const recovered = await openRecovering(options);
    await recoverStore(options);
    expect(noteIds(recovered)).toContain('only in the log');
    recovered.close();
  });

  it('does the same in the storage worker', async () => {
    const { path, options } = await makeScene(300);
    truncateSync(path, Math.floor(statSync(path).size * 0.6));
    const store = await openRecovering({ ...options, backups: { ...options.backups, worker } });
    expect(readRecovery(store.db)?.from_backup).toBeGreaterThan(0);
    expect(noteIds(store).length).toBeGreaterThanOrEqual(300);
    expect(existsSync(readRecovery(store.db)?.quarantined_path ?? '')).toBe(true);
    store.close();
  });
});
