import type { Database } from '../../storage/index.ts';

/** The id of a live entry with the same statement or the same home; two of a kind may not be live at once. */
export function findOccupant(db: Database, entryKey: number): string | undefined {
  return db.get<{ id: string }>(
    `SELECT i.id FROM entry mine JOIN entry other ON other.key <> mine.key AND other.state IN ('active', 'quarantined')
       AND (other.content_hash = mine.content_hash OR other.source_key = mine.source_key)
     JOIN entry_identity i ON i.key = other.key WHERE mine.key = ? LIMIT 1`,
    [entryKey],
  )?.id;
}
