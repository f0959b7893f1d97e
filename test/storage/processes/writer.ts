/** Writes notes one by one and says each id after its write was acknowledged. `writer <path> <name> <count>` */
import { addNote, openNotes } from '../support/notes.ts';

const [path = '', name = '', count = '0'] = process.argv.slice(2);
process.stdout.write('starting\n');
const store = await openNotes(path);
process.stdout.write('open\n');
for (let i = 0; i < Number(count); i++) {
  const id = `${name}-${i}`;
  await addNote(store, id, `text of ${id} `.repeat(10));
  process.stdout.write(`wrote ${id}\n`);
}
store.close();
process.stdout.write('done\n');
