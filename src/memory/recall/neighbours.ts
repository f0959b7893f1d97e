import type { Database } from '../../storage/index.ts';

/** Where the neighbours of an entry stand, by the order of storing. */
const OFFSETS = [-2, -1, 1, 2] as const;

/** The session that each entry was first stored in; entries without one are left out. */
function sessionsOf(db: Database, entryKeys: readonly number[]): Map<number, string> {
  const rows = db.all<{ entry_key: number; session: string | null }>(
    `SELECT entry_key, session FROM provenance WHERE entry_key IN (SELECT value FROM json_each(?)) ORDER BY key DESC`,
    [JSON.stringify(entryKeys)],
  );
  const sessions = new Map<number, string>();
  for (const { entry_key, session } of rows) {
    if (session !== null) sessions.set(entry_key, session);
    else sessions.delete(entry_key);
  }
  return sessions;
}

/**
 * Adds to each entry's value a share of the values of those that were stored right before and after it in the same
 * session, half of the share for the next ones: an answer often stands beside the words that ask for it.
 */
export function supportByNeighbours(
  db: Database,
  values: ReadonlyMap<number, number>,
  share: number,
): ReadonlyMap<number, number> {
  if (share === 0) return values;
  // Few candidates stand side by side, so few sessions are looked up.
  const beside = [...values.keys()].filter((key) => OFFSETS.some((offset) => values.has(key + offset)));
  if (beside.length === 0) return values;
  const sessions = sessionsOf(db, beside);
  return new Map(
    [...values].map(([key, value]) => {
      const session = sessions.get(key);
      if (session === undefined) return [key, value];
      let sum = value;
      for (const offset of OFFSETS) {
        const other = key + offset;
        if (sessions.get(other) === session) sum += (share / Math.abs(offset)) * (values.get(other) ?? 0);
      }
      return [key, sum];
    }),
  );
}
