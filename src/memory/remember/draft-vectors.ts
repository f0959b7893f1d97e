import type { EmbeddedText, Space } from '../../embedding/index.ts';
import type { Database } from '../../storage/index.ts';
import { contentHash } from '../draft.ts';
import { type SpaceRow, writeVector } from '../store/vectors.ts';

/** Vectors made before the write transaction: for each draft one per passage, in order. */
export interface DraftVectors {
  readonly space: Space;
  readonly drafts: readonly (readonly EmbeddedText[])[];
}

interface PassageRow {
  readonly key: number;
  readonly text: string;
}

/** The passages of an entry with their texts, in order. */
function readPassages(db: Database, entryKey: number): PassageRow[] {
  const rows = db.all<{ key: number; start: number; end: number; text: string }>(
    `SELECT p.key, p.start, p."end", r.text FROM passage p JOIN entry e ON e.key = p.entry_key JOIN revision r ON r.key = e.revision_key
     WHERE p.entry_key = ? ORDER BY p.n`,
    [entryKey],
  );
  return rows.map(({ key, start, end, text }) => ({ key, text: text.slice(start, end) }));
}

/** Keeps the vectors of an entry that has just been indexed; nothing happens unless they fit its passages one to one. */
export function storeVectors(db: Database, entryKey: number, space: SpaceRow, vectors: readonly EmbeddedText[]): void {
  const passages = readPassages(db, entryKey);
  if (passages.length !== vectors.length) return;
  passages.forEach(({ key, text }, n) => {
    const embedded = vectors[n];
    if (embedded === undefined) return;
    writeVector(db, {
      passageKey: key,
      spaceKey: space.key,
      vector: embedded.vector,
      unknownShare: embedded.unknownShare,
      textHash: contentHash(text),
    });
  });
}
