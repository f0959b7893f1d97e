import type { Database } from './database.ts';

/** One background worker per task over all processes; a room that uses leases runs this in a migration. */
export const LEASE_SCHEMA =
  'CREATE TABLE lease (name TEXT PRIMARY KEY, owner TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID, STRICT';

/** Who asks for a lease; `owner` is unique to one run of one process. */
export interface LeaseHolder {
  readonly owner: string;
  readonly pid: number;
  readonly host: string;
}

export interface Lease extends LeaseHolder {
  readonly name: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expiresAt: number;
}

/**
 * Takes or extends the lease of a task for `ttlMs` from `now`; false while another owner holds it. Inside a write. A
 * holder that dies loses it when the time is over.
 */
export function acquireLease(
  db: Database,
  name: string,
  holder: LeaseHolder,
  time: { readonly now: number; readonly ttlMs: number },
): boolean {
  const { changes } = db.run(
    `INSERT INTO lease (name, owner, pid, host, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, pid = excluded.pid, host = excluded.host, expires_at = excluded.expires_at
     WHERE lease.owner = excluded.owner OR lease.expires_at <= ?6`,
    [name, holder.owner, holder.pid, holder.host, time.now + time.ttlMs, time.now],
  );
  return changes > 0;
}

/** Gives a lease back; does nothing when another owner has it by now. Inside a write. */
export function releaseLease(db: Database, name: string, owner: string): void {
  db.run('DELETE FROM lease WHERE name = ? AND owner = ?', [name, owner]);
}

/** All leases, expired ones too, by name. */
export function listLeases(db: Database): readonly Lease[] {
  return db.all<Lease>('SELECT name, owner, pid, host, expires_at AS expiresAt FROM lease ORDER BY name');
}
