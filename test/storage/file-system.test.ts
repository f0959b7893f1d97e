import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOBODY, whyNotAsNobody } from '../support/other-user.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startChild } from './support/child.ts';
import { addNote, codeOf, noteIds, openNotes, storePathIn } from './support/notes.ts';

/** Mounts a small file system for the running test; the reason why not, where that is not permitted. */
function mountSmall(options: string): { readonly folder: string } | { readonly reason: string } {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    return { reason: `no small file system can be mounted here (${(error as Error).message.split('\n')[0]})` };
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return { folder };
}

describe('a full disk', () => {
  it('M107 in mid-write: disk_full, nothing half-written, reading goes on, and writing once there is space', async ({
    skip,
  }) => {
    const disk = mountSmall('size=2m');
    if ('reason' in disk) return skip(disk.reason);
    const path = storePathIn(disk.folder);
    const store = await openNotes(path);
    await addNote(store, 'first');
    const filler = join(disk.folder, 'filler');
    writeFileSync(filler, Buffer.alloc(1_000_000));
    const big = store.write((db) => {
      for (let i = 0; i < 200; i++)
        db.run('INSERT INTO note (id, text, length) VALUES (?, ?, 1)', [`big${i}`, 'x'.repeat(20_000)]);
    });
    expect(await codeOf(big)).toBe('disk_full');
    expect(noteIds(store)).toEqual(['first']);
    rmSync(filler);
    await addNote(store, 'second');
    expect(noteIds(store)).toEqual(['first', 'second']);
    store.close();
    const again = await openNotes(path);
    expect(noteIds(again)).toEqual(['first', 'second']);
    again.close();
  });

  it('M107 before the first write: disk_full and no damage afterwards', async ({ skip }) => {
    const disk = mountSmall('size=64k');
    if ('reason' in disk) return skip(disk.reason);
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(60_000));
    const path = storePathIn(disk.folder);
    expect(await codeOf(openNotes(path))).toBe('disk_full');
    rmSync(join(disk.folder, 'filler'));
    execFileSync('mount', ['-o', 'remount,size=8m', disk.folder]);
    const store = await openNotes(path);
    await addNote(store, 'a');
    expect(noteIds(store)).toEqual(['a']);
    store.close();
  });
});

describe('a place that cannot be written to', () => {
  it('M107 a file system mounted read-only: reading goes on with a warning, a write says read_only', async ({
    skip,
  }) => {
    const disk = mountSmall('size=4m');
    if ('reason' in disk) return skip(disk.reason);
    const path = storePathIn(disk.folder);
    // A process of its own, because the file must not be open for writing when the mount changes.
    expect(await startChild('writer', [path, 'a', '1']).ended).toBe(0);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
    const store = await openNotes(path);
    expect(store.readOnly).toBe(true);
    expect(store.warnings).toEqual([expect.stringContaining('read_only')]);
    expect(noteIds(store)).toEqual(['a-0']);
    expect(await codeOf(addNote(store, 'b'))).toBe('read_only');
    expect(await codeOf(openNotes(join(disk.folder, 'new', 'memory.db')))).toBe('read_only');
    store.close();
  });

  it('M107 a folder of another user: read-only, permission_denied on write, nothing created', {
    timeout: 30_000,
  }, async ({ skip }) => {
    const reason = whyNotAsNobody();
    skip(reason !== undefined, reason);
    const root = temporaryFolder();
    chmodSync(root, 0o755);
    const path = storePathIn(root);
    const store = await openNotes(path);
    await addNote(store, 'a');
    store.close();
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
    const before = readdirSync(dirname(path)).sort();
    const child = startChild('reader', [path], { uid: NOBODY });
    await child.ended;
    expect(child.lines).toEqual(['readOnly true', 'warnings 1', 'notes a', 'write permission_denied']);
    expect(readdirSync(dirname(path)).sort()).toEqual(before);

    chmodSync(path, 0o600);
    const stranger = startChild('reader', [path], { uid: NOBODY });
    await stranger.ended;
    expect(stranger.lines).toEqual(['open permission_denied']);
  });

  it('M107 a log that another user may not open is named, not passed over in silence', { timeout: 30_000 }, async ({
    skip,
  }) => {
    const reason = whyNotAsNobody();
    skip(reason !== undefined, reason);
    const root = temporaryFolder();
    chmodSync(root, 0o755);
    const path = storePathIn(root);
    const first = await openNotes(path);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
    const all = startChild('reader', [path], { uid: NOBODY });
    await all.ended;
    expect(all.lines).toEqual(['open permission_denied']);
    await addNote(first, 'a');
    first.close();
    const store = await openNotes(path);
    await addNote(store, 'b');
    const child = startChild('reader', [path], { uid: NOBODY });
    await child.ended;
    expect(child.lines).toEqual(['readOnly true', 'warnings 2', 'notes a', 'write permission_denied']);
    store.close();
  });
});
