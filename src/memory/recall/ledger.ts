import type { Database } from '../../storage/index.ts';

/** One recall as it is logged: no query text. */
export interface RecallRecord {
  readonly id: string;
  readonly at: number;
  readonly workflow: string;
  /** Keyed hash of the query, so that repeats can be counted and nothing be read. */
  readonly queryHash: Uint8Array;
  readonly status: string;
  readonly mode: string;
  readonly topScore?: number;
  /** The entries that were given, best first. */
  readonly entryKeys: readonly number[];
  readonly session?: string;
}

/** Records that a process keeps while nobody writes; the oldest go first. */
const MAX_KEPT = 2_000;

/**
 * Who was given what, and how often. A recall never waits for a write: its record stays in memory until the next write
 * of the process, or a tick, flushes it.
 */
export class RecallLedger {
  #records: RecallRecord[] = [];

  add(record: RecallRecord): void {
    this.#records.push(record);
    if (this.#records.length > MAX_KEPT) this.#records.shift();
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /**
   * Writes what has not been written, inside the caller's transaction. Records are dropped by {@link settle}, after the
   * transaction is through, so that a rolled-back one loses none. Gives how many were written.
   */
  flush(db: Database): number {
    for (const record of this.#records) writeRecord(db, record);
    return this.#records.length;
  }

  /** Forgets the first `count` records: they are on the disk. */
  settle(count: number): void {
    this.#records = this.#records.slice(count);
  }

  /** Keys of entries that a host session has been given, flushed or not. */
  givenTo(db: Database, session: string): Set<number> {
    const given = new Set<number>();
    const rows = db.all<{ entry_keys: string }>('SELECT entry_keys FROM recall_log WHERE session = ?', [session]);
    for (const { entry_keys } of rows) for (const key of JSON.parse(entry_keys) as number[]) given.add(key);
    for (const record of this.#records) {
      if (record.session === session) for (const key of record.entryKeys) given.add(key);
    }
    return given;
  }
}

/** Written once: a record that a retried flush brings again changes nothing. */
function writeRecord(db: Database, record: RecallRecord): void {
  const { changes } = db.run(
    `INSERT OR IGNORE INTO recall_log (id, at, workflow, query_hash, status, mode, top_score, entry_keys, session)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      record.id,
      record.at,
      record.workflow,
      record.queryHash,
      record.status,
      record.mode,
      record.topScore ?? null,
      JSON.stringify(record.entryKeys),
      record.session ?? null,
    ],
  );
  if (changes === 0) return;
  for (const key of record.entryKeys) {
    db.run(
      `INSERT INTO usage (entry_key, recalled, last_recalled_at) VALUES (?, 1, ?)
       ON CONFLICT (entry_key) DO UPDATE SET recalled = recalled + 1, last_recalled_at = MAX(last_recalled_at, excluded.last_recalled_at)`,
      [key, record.at],
    );
  }
}
