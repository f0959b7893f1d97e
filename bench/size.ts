/** Bytes of the store for each note of about 600 characters, vector and every index included, on sentences of real notes. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runBenchmark } from './support/benchmark.ts';
import { ROOT, temporaryFolder } from './support/folders.ts';
import { seededRandom, unitVector } from './support/random.ts';
import { seedStore } from './support/seed-store.ts';
import { type SeededNote, VECTOR_DIMENSION } from './support/seeded-notes.ts';
import { figure } from './support/stats.ts';

const LIMIT_BYTES = 3_200;
const NOTE_CHARS = 600;

function ownSentences(): string[] {
  const { notes } = JSON.parse(readFileSync(join(ROOT, 'bench/data/own-notes.json'), 'utf8')) as { notes: string[] };
  return notes.flatMap((note) => note.split(/(?<=[.;])\s+/));
}

/** Notes of sentences drawn at random, each with a number of its own, so that none repeats another. */
function composeNotes(count: number): SeededNote[] {
  const random = seededRandom(5);
  const sentences = ownSentences();
  return Array.from({ length: count }, (_, n) => {
    let content = `Note ${n}:`;
    while (content.length < NOTE_CHARS) content += ` ${sentences[Math.floor(random() * sentences.length)]}`;
    return { content: content.slice(0, NOTE_CHARS), type: 'general', vector: unitVector(random, VECTOR_DIMENSION) };
  });
}

await runBenchmark('size', 'Size of the store', async ({ small }) => {
  const folder = temporaryFolder();
  const notes = composeNotes(small ? 300 : 10_000);
  await seedStore(folder, notes);
  const bytes = statSync(join(folder, '.cairn/memory.db')).size / notes.length;
  return {
    tables: [
      {
        title: 'Bytes of the file for each note',
        columns: ['notes', 'characters of each', 'bytes of each', 'limit'],
        rows: [[notes.length.toLocaleString('en-US'), NOTE_CHARS, figure(bytes), LIMIT_BYTES.toLocaleString('en-US')]],
      },
    ],
    figures: { notes: notes.length, chars: NOTE_CHARS, bytes, limit: LIMIT_BYTES },
  };
});
