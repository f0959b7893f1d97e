import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/index.ts';
import { withFileLock } from '../../src/storage/file-lock.ts';
import { acquireLease, LEASE_SCHEMA, listLeases, releaseLease } from '../../src/storage/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startChild } from './support/child.ts';
import { codeOf, openNotes, storePathIn } from './support/notes.ts';

const options = { clock: systemClock, waitMs: 5_000 };

describe('file lock', () => {
  it('lets one body run at a time and stays an empty file', async () => {
    const path = join(temporaryFolder(), 'lock');
    let running = 0;
    let most = 0;
    const body = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await systemClock.sleep(20);
      running--;
    };
    await Promise.all([1, 2, 3, 4].map(() => withFileLock(path, options, body)));
    expect(most).toBe(1);
    expect(statSync(path).size).toBe(0);
  });

  it('is released when the body fails, and is refused with store_locked after the wait', async () => {
    const path = join(temporaryFolder(), 'lock');
    await expect(withFileLock(path, options, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const inner = withFileLock(path, options, () =>
      codeOf(withFileLock(path, { ...options, waitMs: 60 }, async () => 1)),
    );
    expect(await inner).toBe('store_locked');
  });

  it('is released by the system when its holder is killed', { timeout: 30_000 }, async () => {
    const path = join(temporaryFolder(), 'lock');
    const holder = startChild('lock-holder', [path]);
    await holder.seen('held');
    expect(await codeOf(withFileLock(path, { ...options, waitMs: 60 }, async () => 1))).toBe('store_locked');
    holder.process.kill('SIGKILL');
    expect(await withFileLock(path, options, async () => 'mine')).toBe('mine');
  });
});

describe('lease', () => {
  it('belongs to one owner until it is over or given back', async () => {
    const store = await openNotes(storePathIn(temporaryFolder()), {
      migrations: [{ version: 1, name: 'lease', apply: (db) => db.exec(LEASE_SCHEMA) }],
    });
    const holder = (owner: string): { owner: string; pid: number; host: string } => ({ owner, pid: 1, host: 'h' });
    const acquire = (owner: string, now: number): Promise<boolean> =>
      store.write((db) => acquireLease(db, 'embed', holder(owner), { now, ttlMs: 100 }));
    expect(await acquire('a', 0)).toBe(true);
    expect(await acquire('b', 99)).toBe(false);
    expect(await acquire('a', 99)).toBe(true);
    expect(await acquire('b', 150)).toBe(false);
    expect(await acquire('b', 199)).toBe(true);
    expect(listLeases(store.db)).toEqual([{ name: 'embed', owner: 'b', pid: 1, host: 'h', expiresAt: 299 }]);
    await store.write((db) => releaseLease(db, 'embed', 'a'));
    expect(listLeases(store.db).length).toBe(1);
    await store.write((db) => releaseLease(db, 'embed', 'b'));
    expect(await acquire('c', 200)).toBe(true);
    store.close();
  });
});
