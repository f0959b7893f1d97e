import type { EmbeddedText, Embedder } from '../../embedding/index.ts';
import { floorOf, passesFloor } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { searchTerms } from '../../text/index.ts';
import { hashTerm } from '../bag.ts';
import { readVectors } from '../store/vectors.ts';
import type { VectorCache } from '../vectors/vector-cache.ts';
import {
  type Candidate,
  entriesOfFiles,
  entriesOfPassages,
  passagesOf,
  readCandidates,
  readTexts,
} from './candidates.ts';
import { denseEvidence, type QueryVector, type SearchedSpace, spaceOf } from './dense.ts';
import { inactiveKeys, type RecallFilters, selectKeys, toCondition } from './filters.ts';
import { entriesWithSignature, findByKeys, type KeyMatches } from './key-matches.ts';
import { type LexicalQuery, lexicalEvidence, matchedInformation, PASSAGE_LENGTH, toLexicalQuery } from './lexical.ts';
import { findByWords, MAX_CANDIDATES } from './lexical-candidates.ts';
import { findRestatements, nearEvidence, passageTexts } from './near-match.ts';
import { supportByNeighbours } from './neighbours.ts';
import { isLatin, type RecallQuery } from './query.ts';
import { nudgeOf, PROSE, type RankProfile, rankOf } from './rank.ts';
import { type Evidence, lexicalOnly, type Score, scoreEvidence } from './score.ts';
import { correctNames } from './spelling.ts';
import { frequencyOf, type StoreStatistics } from './statistics.ts';

/** What a search looks through. */
export interface SearchTarget {
  readonly db: Database;
  readonly vectors: VectorCache;
  readonly statistics: StoreStatistics;
  /** Milliseconds UTC; for recency. */
  readonly now: number;
}

export interface SearchOptions {
  readonly filters?: RecallFilters;
  /** How the order is made; that of prose by default. */
  readonly profile?: RankProfile;
  /** Vectors for a near check, where a candidate asks for one. */
  readonly embed?: (texts: readonly string[]) => Promise<EmbeddedText[] | undefined>;
  readonly countTokens?: Embedder['countTokens'];
  /** Nudge the order by outcomes, overlap and recency; a search by score alone does not. */
  readonly nudge?: boolean;
}

/** One entry that shares evidence with the query. */
export interface Hit {
  readonly entry: Candidate;
  readonly score: Score;
  readonly floor: number;
  readonly passesFloor: boolean;
  /** Larger is better; only comparable inside one search. */
  readonly rank: number;
  readonly evidence: Evidence;
}

export interface SearchResult {
  /** In order of rank; quarantined entries included, which are counted and never given. */
  readonly hits: readonly Hit[];
  /** The query has words or a signature that could be looked for. */
  readonly isSearchable: boolean;
  /** Vectors took part. */
  readonly isHybrid: boolean;
}

/** Cosine from which a meaning counts as evidence at all. */
const LEAST_COSINE = 0.1;

/** Finds, scores and orders the entries that answer a query. `vector` is absent in lexical mode. */
export async function search(
  target: SearchTarget,
  query: RecallQuery,
  vector: QueryVector | undefined,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const run = new Search(target, query, options);
  return run.find(vector);
}

/** Best cosine of each candidate over its passages. */
type Cosines = ReadonlyMap<number, number>;

class Search {
  readonly #target: SearchTarget;
  readonly #query: RecallQuery;
  readonly #options: SearchOptions;
  readonly #among: readonly number[] | undefined;
  readonly #allowed: ReadonlySet<number> | undefined;
  readonly #without: ReadonlySet<number>;

  constructor(target: SearchTarget, query: RecallQuery, options: SearchOptions) {
    this.#target = target;
    this.#query = query;
    this.#options = options;
    this.#among = selectKeys(target.db, toCondition(options.filters ?? {}));
    this.#allowed = this.#among === undefined ? undefined : new Set(this.#among);
    this.#without = new Set(this.#among === undefined ? inactiveKeys(target.db) : []);
  }

  async find(given: QueryVector | undefined): Promise<SearchResult> {
    const { db } = this.#target;
    const keyMatches = findByKeys(db, this.#query);
    const { query: words, found } = this.#byWords();
    // A text without informative words has a vector too, and it is near to everything and nothing.
    const vector = words.terms.length === 0 ? undefined : given;
    const space = vector === undefined ? undefined : spaceOf(db, vector.fingerprint);
    const dense = vector === undefined || space === undefined ? [] : await this.#byMeaning(vector.vector, space);
    const keys = new Set(
      [...keyMatches.identical, ...keyMatches.signature.keys(), ...found, ...dense].filter((key) =>
        this.#isAllowed(key),
      ),
    );
    const candidates = readCandidates(db, [...keys]);
    const cosines =
      vector === undefined || space === undefined ? undefined : await this.#cosinesOf(vector.vector, space, candidates);
    const near = await this.#near(candidates, keyMatches, vector, space);
    const scored = candidates.map((candidate) =>
      this.#scoreOne(candidate, words, { keyMatches, near, cosines, space }),
    );
    const hits = scored.filter(({ evidence }) => hasEvidence(evidence));
    const ranks = this.#ranksOf(hits, words, cosines);
    return {
      hits: hits
        .map((hit) => ({ ...hit, rank: ranks.get(hit.entry.key) ?? 0 }))
        .sort((a, b) => b.rank - a.rank || b.entry.updatedAt - a.entry.updatedAt || (a.entry.id < b.entry.id ? -1 : 1)),
      isSearchable: words.terms.length > 0 || this.#query.signature !== undefined,
      isHybrid: cosines !== undefined,
    };
  }

  #isAllowed(key: number): boolean {
    return this.#allowed === undefined ? !this.#without.has(key) : this.#allowed.has(key);
  }

  /** The query's words with their weights, misspelt names put right, and the entries that hold any of them. */
  #byWords(): { query: LexicalQuery; found: readonly number[] } {
    const { db, statistics } = this.#target;
    const { terms, identifiers } = searchTerms(this.#query.text);
    const frequencies = new Map(terms.map((term) => [term, frequencyOf(db, term)]));
    const unknown = identifiers.filter((name) => frequencies.get(name) === 0);
    const corrections = correctNames(db, unknown, (key) =>
      this.#isAllowed(key) ? readTexts(db, [key]).get(key) : undefined,
    );
    const own = toLexicalQuery(terms, statistics.entries, (term) => frequencies.get(term) ?? 0);
    const query = {
      ...own,
      terms: own.terms.map((term) => {
        const correction = corrections.find(({ name }) => name === term.term);
        return correction === undefined
          ? term
          : { ...term, hash: hashTerm(correction.meant), idf: term.idf * correction.overlap };
      }),
    };
    const found = findByWords(db, own, {
      passages: statistics.passages,
      frequencies,
      among: this.#among,
      without: [...this.#without],
    });
    return { query, found: [...found, ...corrections.flatMap(({ entries }) => entries)] };
  }

  /** Entries of the passages nearest in meaning, at most as many as the words may bring. */
  async #byMeaning(vector: Float32Array, space: SearchedSpace): Promise<number[]> {
    const { db, vectors } = this.#target;
    const candidates = this.#among === undefined ? undefined : passagesOf(db, this.#among);
    // Passages of entries that are not given take places; there are few, so a few more are asked for.
    const wanted = MAX_CANDIDATES + Math.min(this.#without.size, MAX_CANDIDATES);
    const hits = await vectors.search(vector, wanted, {
      spaceKey: space.row.key,
      ...(candidates === undefined ? {} : { candidates }),
    });
    const entryOf = entriesOfPassages(
      db,
      hits.map(({ passageKey }) => passageKey),
    );
    const keys = new Set<number>();
    for (const { passageKey, cosine } of hits) {
      const key = entryOf.get(passageKey);
      if (key !== undefined && cosine >= LEAST_COSINE) keys.add(key);
    }
    return [...keys];
  }

  /** The best cosine of every candidate; none for one without vectors, 0 for one in a language the model does not know. */
  async #cosinesOf(vector: Float32Array, space: SearchedSpace, candidates: readonly Candidate[]): Promise<Cosines> {
    const passages = new Map(candidates.flatMap((entry) => entry.passages.map(({ key }) => [key, entry] as const)));
    const hits = await this.#target.vectors.search(vector, passages.size, {
      spaceKey: space.row.key,
      candidates: [...passages.keys()],
    });
    const foreign = this.#foreignPassages(candidates);
    const best = new Map<number, number>();
    for (const { passageKey, cosine } of hits) {
      const key = passages.get(passageKey)?.key ?? 0;
      const worth = foreign.has(passageKey) ? 0 : cosine;
      if (worth > (best.get(key) ?? -1)) best.set(key, worth);
    }
    return best;
  }

  /** Passages in a script that the model does not know. */
  #foreignPassages(candidates: readonly Candidate[]): ReadonlySet<number> {
    const suspects = candidates.filter(({ isAscii }) => !isAscii);
    const texts = readTexts(
      this.#target.db,
      suspects.map(({ key }) => key),
    );
    const foreign = suspects.flatMap(({ key, passages }) => {
      const text = texts.get(key) ?? '';
      return passages.filter(({ start, end }) => !isLatin(text.slice(start, end)));
    });
    return new Set(foreign.map(({ key }) => key));
  }

  async #near(
    candidates: readonly Candidate[],
    { identical }: KeyMatches,
    vector: QueryVector | undefined,
    space: SearchedSpace | undefined,
  ): Promise<Map<number, number>> {
    const near = new Map<number, number>();
    const { db } = this.#target;
    const live = candidates.filter(({ state, key }) => state === 'active' && !identical.has(key));
    for (const { draft, entries } of findRestatements(db, this.#query.drafts, live)) {
      const countTokens = this.#options.countTokens ?? (() => undefined);
      const own = vector === undefined ? undefined : await this.#options.embed?.(passageTexts(draft.text, countTokens));
      const sameError = draft.signatureKey === undefined ? undefined : entriesWithSignature(db, draft.signatureKey);
      for (const entry of entries) {
        // Another fix of the same error is an alternative that remember keeps, however alike the two read.
        if (sameError?.has(entry.key) === true) continue;
        const stored = own === undefined || space === undefined ? undefined : readVectors(db, entry.key, space.row.key);
        const score = nearEvidence(draft, own, entry, stored);
        if (score > (near.get(entry.key) ?? 0)) near.set(entry.key, score);
      }
    }
    return near;
  }

  #scoreOne(
    entry: Candidate,
    words: LexicalQuery,
    found: {
      readonly keyMatches: KeyMatches;
      readonly near: ReadonlyMap<number, number>;
      readonly cosines: Cosines | undefined;
      readonly space: SearchedSpace | undefined;
    },
  ): Omit<Hit, 'rank'> {
    let matched = 0;
    for (const { bag, length } of entry.passages) {
      matched = Math.max(matched, matchedInformation(words, { bag, length, averageLength: PASSAGE_LENGTH }));
    }
    const signature = found.keyMatches.signature.get(entry.key);
    const cosine = found.cosines?.get(entry.key);
    const evidence: Evidence = {
      identical: found.keyMatches.identical.has(entry.key),
      near: found.near.get(entry.key) ?? 0,
      lexical: lexicalEvidence(words, matched),
      ...(signature === undefined ? this.#otherError(entry) : { signature }),
      ...(cosine === undefined ? {} : { dense: denseEvidence(cosine, found.space?.calibration) }),
    };
    const score = scoreEvidence(evidence, words.information);
    const floor = floorOf(this.#query.isError, entry.kind);
    return { entry, score, floor, passesFloor: passesFloor(score.value, floor), evidence };
  }

  /** An error-fix entry whose keys are not those of the query's well-known error. */
  #otherError({ kind }: Candidate): { readonly isOtherError?: true } {
    const { isError, isProbe, signatureKeys } = this.#query;
    const isKnown = isError && !isProbe && signatureKeys?.class === 'strong';
    return isKnown && kind === 'error_fix' ? { isOtherError: true } : {};
  }

  #ranksOf(hits: readonly Omit<Hit, 'rank'>[], words: LexicalQuery, cosines: Cosines | undefined): Map<number, number> {
    const profile = this.#options.profile ?? PROSE;
    const averageLength = this.#target.statistics.entryLength;
    const own = new Map(
      hits.map(({ entry: { key, bag, length } }) => [
        key,
        lexicalEvidence(words, matchedInformation(words, { bag, length, averageLength }, profile.lengthSlack)),
      ]),
    );
    const supported = supportByNeighbours(this.#target.db, own, profile.neighbourShare);
    const sameFiles = entriesOfFiles(this.#target.db, this.#query.files);
    return new Map(
      hits.map((hit) => {
        const { key } = hit.entry;
        // An entry whose vector is still to be made is placed by what its words alone are worth.
        const cosine = cosines === undefined ? undefined : (cosines.get(key) ?? lexicalOnly(hit.evidence.lexical));
        const parts = { words: supported.get(key) ?? 0, ...(cosine === undefined ? {} : { cosine }) };
        return [key, this.#finalRank(hit, rankOf(parts, profile), sameFiles.has(key))];
      }),
    );
  }

  /** Certain matches stand before all others, whatever else is alike. */
  #finalRank({ entry, evidence }: Omit<Hit, 'rank'>, rank: number, sharesFile: boolean): number {
    const certain = evidence.identical ? 2_000 : evidence.signature === 'exact' ? 1_000 : 0;
    if (this.#options.nudge !== true) return certain + rank;
    const { workflow, isWorkflowGiven } = this.#query;
    const overlaps = sharesFile || (isWorkflowGiven && entry.workflow === workflow.name);
    const ageDays = (this.#target.now - entry.updatedAt) / DAY_MS;
    return certain + rank + nudgeOf({ worked: entry.worked, failed: entry.failed, overlaps, ageDays });
  }
}

const DAY_MS = 86_400_000;

function hasEvidence({ identical, signature, near, dense, lexical }: Evidence): boolean {
  return identical || signature !== undefined || near > 0 || lexical > 0 || (dense ?? 0) >= LEAST_COSINE;
}
