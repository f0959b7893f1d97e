import type { OpenMemory } from '../runtime.ts';

/** Whether every passage of an entry has a vector in some space by now; others get theirs in the background. */
export function isEmbedded(memory: OpenMemory, id: string): boolean {
  const row = memory.store.db.get<{ passages: number; vectors: number }>(
    `SELECT COUNT(*) AS passages, COUNT(CASE WHEN EXISTS (SELECT 1 FROM vector v WHERE v.passage_key = p.key) THEN 1 END) AS vectors
     FROM entry_identity i JOIN passage p ON p.entry_key = i.key WHERE i.id = ?`,
    [id],
  );
  return row !== undefined && row.passages > 0 && row.vectors === row.passages;
}
