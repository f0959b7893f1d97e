import type { Database } from '../../storage/index.ts';
import { toIndexTerm } from '../store/index-entry.ts';
import { vectorGeneration } from '../store/meta.ts';
import { countActive, countVectors, tallyEntries, tallyPassages } from '../store/tally.ts';
import { findSpace } from '../store/vectors.ts';

/** Term statistics and counts of one store. */
export interface StoreStatistics {
  /** Entries whose text is indexed, whatever their state. */
  readonly entries: number;
  /** Entries that a recall may give. */
  readonly active: number;
  readonly passages: number;
  /** Mean number of tokens. */
  readonly entryLength: number;
  readonly passageLength: number;
}

/** How many entries can be found by meaning. */
export interface VectorCoverage {
  /** Entries that a recall may give. */
  readonly entries: number;
  readonly withVectors: number;
  /** Passages without a vector, those of entries that are not given included. */
  readonly waiting: number;
}

/** Counts a store once for each state of its log; the counts are exact, so a restart changes no score. */
export class StatisticsCache {
  #seq = -1;
  #statistics: StoreStatistics = { entries: 0, active: 0, passages: 0, entryLength: 1, passageLength: 1 };
  #coverageOf = '';
  #coverage: VectorCoverage = { entries: 0, withVectors: 0, waiting: 0 };

  /** Coverage by the vectors of a space; none where there is no space. */
  coverage(db: Database, fingerprint: string | undefined): VectorCoverage {
    const { active, passages } = this.read(db);
    const space = fingerprint === undefined ? undefined : findSpace(db, fingerprint);
    if (space === undefined) return { entries: active, withVectors: 0, waiting: passages };
    const newest = db.get<{ key: number | null }>('SELECT MAX(key) AS key FROM vector')?.key ?? 0;
    const state = `${this.#seq} ${space.key} ${newest} ${vectorGeneration(db)}`;
    if (state !== this.#coverageOf) {
      this.#coverage = countCoverage(db, space.key, active, passages);
      this.#coverageOf = state;
    }
    return this.#coverage;
  }

  read(db: Database): StoreStatistics {
    const seq = db.get<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM event')?.seq ?? 0;
    if (seq !== this.#seq) {
      this.#statistics = countStore(db);
      this.#seq = seq;
    }
    return this.#statistics;
  }
}

function countStore(db: Database): StoreStatistics {
  const indexed = [...tallyEntries(db)].filter(([state]) => state !== 'erased').map(([, tally]) => tally);
  const entries = indexed.reduce((sum, { n }) => sum + n, 0);
  const terms = indexed.reduce((sum, tally) => sum + tally.terms, 0);
  const passages = tallyPassages(db);
  return {
    entries,
    active: countActive(db),
    passages: passages.n,
    entryLength: Math.max(1, terms / Math.max(1, entries)),
    passageLength: Math.max(1, passages.terms / Math.max(1, passages.n)),
  };
}

function countCoverage(db: Database, spaceKey: number, active: number, passages: number): VectorCoverage {
  const vectors = countVectors(db, spaceKey);
  if (vectors >= passages) return { entries: active, withVectors: active, waiting: 0 };
  const without = db.get<{ n: number }>(
    `SELECT COUNT(DISTINCT p.entry_key) AS n FROM passage p JOIN entry e ON e.key = p.entry_key
     WHERE e.state = 'active' AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.passage_key = p.key AND v.space_key = ?)`,
    [spaceKey],
  );
  return { entries: active, withVectors: active - (without?.n ?? 0), waiting: passages - vectors };
}

/** In how many entries a term of the tokeniser occurs. */
export function frequencyOf(db: Database, term: string): number {
  return db.get<{ doc: number }>('SELECT doc FROM entry_fts_vocab WHERE term = ?', [toIndexTerm(term)])?.doc ?? 0;
}
