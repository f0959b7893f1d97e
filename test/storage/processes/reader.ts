/** Opens a store as a user without rights and says what it can do with it: `reader <path>`. */
import { codeOf, noteIds, openNotes } from '../support/notes.ts';

const [path = ''] = process.argv.slice(2);
try {
  const store = await openNotes(path);
  process.stdout.write(`readOnly ${store.readOnly}\n`);
  process.stdout.write(`warnings ${store.warnings.length}\n`);
  process.stdout.write(`notes ${noteIds(store).join(',')}\n`);
  process.stdout.write(`write ${await codeOf(store.write(() => 1))}\n`);
} catch (error) {
  process.stdout.write(`open ${(error as { code?: unknown }).code}\n`);
}
