/** Starts a migration of two steps and stops in the middle of it until it is killed. `slow-migration <path>` */
import { notesMigrations, openNotes } from '../support/notes.ts';

const [path = ''] = process.argv.slice(2);
await openNotes(path, {
  migrations: [
    ...notesMigrations,
    { version: 2, name: 'first half', apply: (db) => db.exec('ALTER TABLE note ADD COLUMN author TEXT') },
    {
      version: 3,
      name: 'second half',
      apply: () => {
        process.stdout.write('half-way\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
      },
    },
  ],
});
