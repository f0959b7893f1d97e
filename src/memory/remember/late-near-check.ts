import { CairnError } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { draftOfStored } from '../lifecycle/stored-draft.ts';
import type { OpenMemory } from '../runtime.ts';
import { readEntries } from '../store/entries.ts';
import { activeSpace, readVectors } from '../store/vectors.ts';
import { compareNear } from './decide.ts';
import { findReadableNeighbours } from './neighbours.ts';

/** Relation of an entry with itself in `conflict`: it was stored without a near check. */
const UNCHECKED = 'unchecked';

/** Puts an entry down for the near check that could not be made when it was stored. Inside a write. */
export function fileForNearCheck(db: Database, entryKey: number, at: number): void {
  db.run('INSERT OR IGNORE INTO conflict (entry_key, other_key, relation, at) VALUES (?1, ?1, ?2, ?3)', [
    entryKey,
    UNCHECKED,
    at,
  ]);
}

/** How many entries wait for their near check. */
export function countUnchecked(db: Database): number {
  return db.get<{ n: number }>('SELECT COUNT(*) AS n FROM conflict WHERE relation = ?', [UNCHECKED])?.n ?? 0;
}

/**
 * Makes up for near checks, at most `limit` of them: a pair that says the same goes to the queue of near-duplicates, for
 * a person to decide, and nothing is removed. Gives how many entries were checked. Throws `store_damaged` when indexes
 * still cannot be read; their entries go on waiting.
 */
export async function checkNearLate(memory: OpenMemory, at: number, limit: number): Promise<number> {
  const { store, vectors } = memory;
  const rows = store.db.all<{ entry_key: number }>(
    'SELECT entry_key FROM conflict WHERE relation = ? ORDER BY at, entry_key LIMIT ?',
    [UNCHECKED, limit],
  );
  let checked = 0;
  let unreadable = 0;
  for (const { entry_key: key } of rows) {
    const [entry] = readEntries(store.db, [key]);
    const isLive = entry?.state === 'active';
    const space = activeSpace(store.db);
    const own = space === undefined ? undefined : readVectors(store.db, key, space.key);
    const draft = entry === undefined ? undefined : draftOfStored(entry.kind, entry.text, entry.fields);
    const neighbours =
      !isLive || draft === undefined ? [] : await findReadableNeighbours(store.db, draft, vectors, own);
    if (neighbours === undefined) {
      unreadable += 1;
      continue;
    }
    await store.write((db) => {
      const others = neighbours.filter((other) => other !== key);
      const near =
        draft === undefined
          ? undefined
          : compareNear(
              db,
              draft,
              others,
              space === undefined || own === undefined ? undefined : { spaceKey: space.key, own },
            );
      if (near?.duplicate !== undefined) {
        db.run(
          "INSERT OR IGNORE INTO conflict (entry_key, other_key, relation, score, at) VALUES (?, ?, 'near', ?, ?)",
          [key, near.duplicate.key, near.duplicate.score, at],
        );
      }
      for (const other of near?.conflicts ?? []) {
        db.run("INSERT OR IGNORE INTO conflict (entry_key, other_key, relation, at) VALUES (?, ?, 'conflict', ?)", [
          key,
          other.key,
          at,
        ]);
      }
      db.run('DELETE FROM conflict WHERE entry_key = ? AND relation = ?', [key, UNCHECKED]);
    });
    checked += 1;
  }
  if (unreadable > 0)
    throw new CairnError('store_damaged', `The search tables cannot be read; ${unreadable} near checks wait for that.`);
  return checked;
}
