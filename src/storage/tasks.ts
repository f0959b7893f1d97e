import { chmodSync } from 'node:fs';
import { ConnectionOpener } from './connection-opener.ts';
import { loadDriver } from './driver.ts';
import { createFile, FILE_MODE, syncFile } from './files.ts';
import { optimizeTables } from './optimize.ts';
import { type SalvageInput, type SalvageReport, salvageRows } from './salvage.ts';
import { isBusy, toStoreError } from './sqlite-errors.ts';
import { type Verification, verifyInThread } from './verify.ts';

/** Work that can take longer than 50 ms, as plain data, so that it can run in another thread. */
export type StorageTask =
  | { readonly kind: 'verify'; readonly path: string }
  | {
      readonly kind: 'copy';
      readonly source: string;
      readonly isLive: boolean;
      readonly target: string;
      readonly waitMs: number;
    }
  | { readonly kind: 'optimize'; readonly path: string; readonly tables: readonly string[]; readonly waitMs: number }
  | ({ readonly kind: 'salvage' } & SalvageInput);

export interface StorageTaskResult {
  readonly verify: Verification;
  readonly copy: undefined;
  readonly optimize: undefined;
  readonly salvage: SalvageReport;
}

/** Runs one task in the calling thread. */
export async function runTaskHere(task: StorageTask): Promise<StorageTaskResult[StorageTask['kind']]> {
  switch (task.kind) {
    case 'verify':
      return verifyInThread(task.path);
    case 'copy':
      return copyDatabase(task);
    case 'optimize':
      return optimizeTables(task);
    case 'salvage':
      return salvageRows(task);
  }
}

/**
 * Copies all pages with SQLite's online backup. A live target is replaced inside one write transaction: its other users
 * see the old content or the new, and a crash leaves the old.
 */
async function copyDatabase(task: {
  source: string;
  isLive: boolean;
  target: string;
  waitMs: number;
}): Promise<undefined> {
  const driver = loadDriver();
  const connection = new ConnectionOpener({ path: task.source, driver }, !task.isLive).open();
  const isNew = createFile(task.target, '');
  try {
    for (const end = performance.now() + task.waitMs; ; ) {
      try {
        await driver.backup(connection.handle, task.target);
        break;
      } catch (error) {
        // `node:sqlite` of Node 22 reports a busy target as "not an error" with code 0.
        const isTargetBusy = isBusy(error) || (error as { errcode?: unknown }).errcode === 0;
        if (!isTargetBusy || performance.now() >= end) throw toStoreError(error, task.target);
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
      }
    }
    if (isNew) {
      chmodSync(task.target, FILE_MODE);
      syncFile(task.target);
    }
  } finally {
    connection.close();
  }
}
