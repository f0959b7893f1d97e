/** Holds the write lock for a time: `holder <path> <ms>`. Blocks on purpose: a transaction never spans a turn of the loop. */
import { openNotes } from '../support/notes.ts';

const [path = '', ms = '0'] = process.argv.slice(2);
const store = await openNotes(path);
await store.write((db) => {
  db.run("INSERT INTO note (id, text, length) VALUES ('holder', 'x', 1)");
  process.stdout.write('held\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
});
store.close();
process.stdout.write('released\n');
