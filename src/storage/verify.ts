import { existsSync } from 'node:fs';
import { isCairnError } from '../kernel/index.ts';
import type { Connection } from './connection.ts';
import { ConnectionOpener } from './connection-opener.ts';
import { readSchemaState } from './meta.ts';
import { probeStore } from './probe.ts';

/** What SQLite's own check says about a file. */
export interface Verification {
  readonly ok: boolean;
  /** At most 20 lines; empty when `ok`. */
  readonly problems: readonly string[];
  /** -1 where the file cannot be read or was never migrated. */
  readonly schemaVersion: number;
}

const PROBLEMS_SHOWN = 20;

/** Runs `integrity_check` and `foreign_key_check` in the calling thread; seconds on a large file. Changes nothing. */
export function verifyInThread(path: string): Verification {
  if (probeStore(path) !== 'present') return failed('The file is missing or empty.');
  let connection: Connection | undefined;
  try {
    // Side files mean that a process may be writing: then the check needs its locks.
    connection = new ConnectionOpener({ path }, !existsSync(`${path}-shm`)).open();
    const problems = connection
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${PROBLEMS_SHOWN})`)
      .map((row) => row.integrity_check)
      .filter((line) => line !== 'ok');
    const orphans = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
    problems.push(...orphans.map(({ table, parent }) => `a row of ${table} has no row in ${parent}`));
    const { version, projectId } = readSchemaState(connection);
    if (projectId === undefined) return failed('The file holds no store.');
    return { ok: problems.length === 0, problems: problems.slice(0, PROBLEMS_SHOWN), schemaVersion: version };
  } catch (error) {
    if (isCairnError(error) && error.code !== 'store_damaged') throw error;
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    connection?.close();
  }
}

function failed(problem: string): Verification {
  return { ok: false, problems: [problem], schemaVersion: -1 };
}
