import type { Database } from '../../storage/index.ts';
import { tokenise } from '../../text/index.ts';

/** Shorter names have too few trigrams to tell a slip from another name. */
const LEAST_NAME = 5;
/** Share of trigrams that a name and what it was meant to be have in common (Dice's coefficient). */
const LEAST_OVERLAP = 0.5;
const MAX_NAMES = 4;
const MAX_TRIGRAMS = 40;
const MAX_ENTRIES = 20;

/** A name of the query that no entry has, and the most alike name that one has. */
export interface Correction {
  readonly name: string;
  /** As the tokeniser gives it. */
  readonly meant: string;
  /** How alike the two are, 0.5 to 1. */
  readonly overlap: number;
  /** Entries that hold the meant name. */
  readonly entries: readonly number[];
}

function trigramsOf(name: string): string[] {
  const points = [...name.toLowerCase()];
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= points.length; i++) grams.add(points.slice(i, i + 3).join(''));
  return [...grams];
}

function diceOverlap(a: readonly string[], b: readonly string[]): number {
  const own = new Set(a);
  const common = b.filter((gram) => own.has(gram)).length;
  return (2 * common) / Math.max(1, a.length + b.length);
}

/** Entries by how many of the trigrams their names hold, most first. */
function entriesSharing(db: Database, grams: readonly string[]): number[] {
  const each = grams.map(() => 'SELECT rowid FROM identifier_tri WHERE identifier_tri MATCH ?').join(' UNION ALL ');
  return db
    .all<{ rowid: number }>(
      `SELECT rowid FROM (${each}) GROUP BY rowid ORDER BY COUNT(*) DESC, rowid DESC LIMIT ${MAX_ENTRIES}`,
      [...grams.map((gram) => `"${gram.replaceAll('"', '""')}"`)],
    )
    .map(({ rowid }) => rowid);
}

function identifiersOf(text: string): Set<string> {
  return new Set(tokenise(text).flatMap(({ term, kind }) => (kind === 'identifier' ? [term] : [])));
}

/**
 * What the unknown names of a query were meant to be: for each the most alike identifier of any entry. `textOf` gives
 * an entry's text, or `undefined` for one that does not count.
 */
export function correctNames(
  db: Database,
  unknownNames: readonly string[],
  textOf: (entryKey: number) => string | undefined,
): Correction[] {
  const corrections: Correction[] = [];
  for (const name of unknownNames.filter(({ length }) => length >= LEAST_NAME).slice(0, MAX_NAMES)) {
    const grams = trigramsOf(name).slice(0, MAX_TRIGRAMS);
    const holders = new Map<string, number[]>();
    for (const key of entriesSharing(db, grams)) {
      for (const identifier of identifiersOf(textOf(key) ?? ''))
        holders.set(identifier, [...(holders.get(identifier) ?? []), key]);
    }
    const best = [...holders.keys()]
      .map((identifier) => ({ identifier, overlap: diceOverlap(grams, trigramsOf(identifier)) }))
      .sort((a, b) => b.overlap - a.overlap || (a.identifier < b.identifier ? -1 : 1))[0];
    if (best === undefined || best.overlap < LEAST_OVERLAP) continue;
    corrections.push({
      name,
      meant: best.identifier,
      overlap: best.overlap,
      entries: holders.get(best.identifier) ?? [],
    });
  }
  return corrections;
}
