import type { Database } from '../../storage/index.ts';

/** A count and, for texts, the sum of their terms. */
export interface Tally {
  readonly n: number;
  readonly terms: number;
}

const NOTHING: Tally = { n: 0, terms: 0 };

function read(db: Database, name: string): Tally {
  return db.get<Tally>('SELECT n, terms FROM tally WHERE name = ?', [name]) ?? NOTHING;
}

/** Entries of every state, by state. */
export function tallyEntries(db: Database): ReadonlyMap<string, Tally> {
  const rows = db.all<Tally & { name: string }>("SELECT name, n, terms FROM tally WHERE name LIKE 'entry:%' AND n > 0");
  return new Map(rows.map(({ name, n, terms }) => [name.slice('entry:'.length), { n, terms }]));
}

/** Entries that recall can find. */
export function countActive(db: Database): number {
  return read(db, 'entry:active').n;
}

export function tallyPassages(db: Database): Tally {
  return read(db, 'passage');
}

/** Vectors of one space, those that say nothing included. */
export function countVectors(db: Database, spaceKey: number): number {
  return read(db, `vector:${spaceKey}`).n;
}

/** Vectors of all spaces. */
export function countAllVectors(db: Database): number {
  return db.get<{ n: number | null }>("SELECT SUM(n) AS n FROM tally WHERE name LIKE 'vector:%'")?.n ?? 0;
}
