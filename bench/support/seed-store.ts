import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolveWeights } from '../../src/cli/weights.ts';
import { createMiniLmEmbedder, type Embedder } from '../../src/embedding/index.ts';
import { createIdSource, systemClock } from '../../src/kernel/index.ts';
import { contentHash, draftOfContent } from '../../src/memory/draft.ts';
import { createEntry, type WriteContext } from '../../src/memory/remember/write-entry.ts';
import { MEMORY_MIGRATIONS } from '../../src/memory/schema/migrations.ts';
import { ensureSpace, type SpaceRow, writeVector } from '../../src/memory/store/vectors.ts';
import { openStore, recordEntryCount } from '../../src/storage/index.ts';
import { ROOT } from './folders.ts';
import type { SeededNote } from './seeded-notes.ts';

/** Entries in one transaction: large, since nobody else uses the store. */
const BATCH = 2_000;

function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function writeNote(context: WriteContext, space: SpaceRow, note: SeededNote): void {
  const entry = createEntry(context, draftOfContent(note.content, {}), {
    type: note.type,
    trust: 'agent',
    quality: true,
    provenance: { source: 'bench', at: context.at },
  });
  const passages = context.db.all<{ key: number; start: number; end: number }>(
    'SELECT key, start, "end" FROM passage WHERE entry_key = ?',
    [entry.key],
  );
  for (const { key, start, end } of passages) {
    writeVector(context.db, {
      passageKey: key,
      spaceKey: space.key,
      vector: note.vector,
      unknownShare: 0,
      textHash: contentHash(note.content.slice(start, end)),
    });
  }
}

/** The real model, for its space and its token counts alone: no vector is made here. */
function openEmbedder(): Embedder {
  return createMiniLmEmbedder({
    resolveWeights,
    workerPath: join(ROOT, 'dist/embedding-worker.cjs'),
    clock: systemClock,
  });
}

/**
 * Fills the store of a project with notes and the vectors they bring, through the product's own write path but without
 * its checks for repeats. The vectors are stamped with the space of the shipped model, so that recall searches them.
 */
export async function seedStore(projectFolder: string, notes: Iterable<SeededNote>): Promise<void> {
  const embedder = openEmbedder();
  const space = embedder.space();
  if (space === undefined) throw new Error('the model weights are not installed; run `npm ci` first');
  if (!existsSync(join(projectFolder, '.git'))) execFileSync('git', ['init', '-q'], { cwd: projectFolder });
  const folder = join(projectFolder, '.cairn');
  const ids = createIdSource(() => systemClock.now());
  const store = await openStore({
    path: join(folder, 'memory.db'),
    mode: 'create',
    clock: systemClock,
    ids,
    migrations: MEMORY_MIGRATIONS,
  });
  let count = 0;
  for (const batch of batches(notes, BATCH)) {
    await store.write((db) => {
      const row = ensureSpace(db, space, systemClock.now());
      const context: WriteContext = {
        db,
        ids,
        at: systemClock.now(),
        actor: 'bench',
        countTokens: (text) => embedder.countTokens(text),
      };
      for (const note of batch) writeNote(context, row, note);
    });
    count += batch.length;
  }
  recordEntryCount(store, count);
  store.close();
  await embedder.close();
}
