import { systemClock } from '../kernel/index.ts';
import { ConnectionOpener } from './connection-opener.ts';
import { isBusy } from './sqlite-errors.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Merges each full-text index into one segment, one write transaction a table. An index without content keeps the terms
 * of deleted rows until then.
 */
export async function optimizeTables(task: {
  readonly path: string;
  readonly tables: readonly string[];
  readonly waitMs: number;
}): Promise<undefined> {
  const connection = new ConnectionOpener({ path: task.path }, false).open();
  try {
    for (const table of task.tables) {
      if (!PLAIN_NAME.test(table)) throw new Error(`not a table name: ${table}`);
      const end = systemClock.monotonic() + task.waitMs;
      for (;;) {
        try {
          connection.execNow('BEGIN IMMEDIATE');
          break;
        } catch (error) {
          if (!isBusy(error) || systemClock.monotonic() >= end) throw error;
        }
        await systemClock.sleep(2 + Math.random() * 10);
      }
      try {
        connection.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
        connection.exec('COMMIT');
      } finally {
        if (connection.inTransaction) connection.exec('ROLLBACK');
      }
    }
  } finally {
    connection.close();
  }
}
