/**
 * The contract of the driver interface, as a program, so that another Node can run it: `driver-contract <name> <folder>`.
 * Says one line of JSON; a broken promise throws.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Connection } from '../../../src/storage/connection.ts';
import { type DriverName, loadDriver } from '../../../src/storage/driver.ts';

const [name = '', folder = ''] = process.argv.slice(2);
const driver = loadDriver(name as DriverName);
const path = join(folder, 'contract.db');
const connect = (at = path): Connection => new Connection(driver.open(at, { readOnly: false }), at);
const db = connect();
db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)');

// Values come back as they went in; integers are numbers.
const bytes = Uint8Array.of(0, 1, 255);
assert.deepEqual(
  { ...db.run('INSERT INTO t (b, c) VALUES (?, ?)', ['text ä 🪨', bytes]) },
  { changes: 1, lastInsertRowid: 1 },
);
db.run('INSERT INTO t (b, c) VALUES (:b, :c)', { b: 1.5, c: null });
const rows = db.all<{ a: number; b: unknown; c: unknown }>('SELECT * FROM t ORDER BY a');
assert.deepEqual(
  rows.map(({ a, b }) => [a, b]),
  [
    [1, 'text ä 🪨'],
    [2, 1.5],
  ],
);
assert.deepEqual(Uint8Array.from(rows[0]?.c as Uint8Array), bytes);
assert.equal(rows[1]?.c, null);
assert.deepEqual(db.get('SELECT a FROM t WHERE a = 99'), undefined);
assert.deepEqual({ ...db.get<object>('SELECT ?2 AS two, ?1 AS one', ['1', '2']) }, { two: '2', one: '1' });

// A text with NUL would come back cut, so it is refused.
assert.throws(() => db.run('INSERT INTO t (b) VALUES (?)', ['a\0b']), TypeError);
assert.throws(() => db.run('INSERT INTO t (b) VALUES (:b)', { b: 'a\0b' }), TypeError);

// The same statement text may be used inside a loop over itself, and a loop may be left.
const seen: number[] = [];
for (const outer of db.iterate<{ a: number }>('SELECT a FROM t ORDER BY a')) {
  for (const inner of db.iterate<{ a: number }>('SELECT a FROM t ORDER BY a')) {
    seen.push(outer.a * 10 + inner.a);
    if (outer.a === 2) break;
  }
}
assert.deepEqual(seen, [11, 12, 21]);

// Failures carry SQLite's code; the state of a transaction is known.
assert.throws(
  () => db.run('INSERT INTO t (a) VALUES (1)'),
  (error: { errcode?: number }) => ((error.errcode ?? 0) & 0xff) === 19,
);
assert.throws(
  () => db.exec('nonsense'),
  (error: { errcode?: number }) => error.errcode === 1,
);
db.exec('BEGIN IMMEDIATE');
assert.equal(db.inTransaction, true);
const other = connect();
const start = performance.now();
assert.throws(() => other.execNow('BEGIN IMMEDIATE'), { code: 'store_locked' });
assert.ok(performance.now() - start < 500, 'a locked store is told at once');
db.exec('ROLLBACK');
assert.equal(db.inTransaction, false);
other.close();

// Full text: trigrams, and an index without content that can delete.
db.exec(
  "CREATE VIRTUAL TABLE f USING fts5(x, content='', contentless_delete=1); CREATE VIRTUAL TABLE g USING fts5(x, tokenize='trigram')",
);
db.run("INSERT INTO f (rowid, x) VALUES (7, 'stones on a path')");
assert.deepEqual({ ...db.get<object>("SELECT rowid FROM f WHERE f MATCH 'path'") }, { rowid: 7 });
db.run('DELETE FROM f WHERE rowid = 7');
assert.equal(db.get("SELECT rowid FROM f WHERE f MATCH 'path'"), undefined);
db.run("INSERT INTO g (x) VALUES ('ECONNREFUSED')");
assert.ok(db.get("SELECT rowid FROM g WHERE g MATCH 'CONNREF'"));

// Online backup, immutable reading without side files, and a backup into a live database.
const copy = join(folder, 'copy.db');
await driver.backup(db.handle, copy);
const frozen = new Connection(driver.open(`${pathToFileURL(copy).href}?immutable=1`, { readOnly: true }), copy);
assert.equal(frozen.get<{ n: number }>('SELECT count(*) AS n FROM t')?.n, 2);
assert.throws(() => frozen.run('DELETE FROM t'), { code: 'read_only' });
assert.deepEqual(
  readdirSync(folder).filter((file) => file.startsWith('copy')),
  ['copy.db'],
);
db.run('DELETE FROM t');
await driver.backup(frozen.handle, path);
assert.equal(db.get<{ n: number }>('SELECT count(*) AS n FROM t')?.n, 2);
frozen.close();
db.close();

const version = connect(join(folder, 'version.db'));
process.stdout.write(
  `${JSON.stringify({ driver: driver.name, sqlite: version.get<{ v: string }>('SELECT sqlite_version() AS v')?.v })}\n`,
);
version.close();
