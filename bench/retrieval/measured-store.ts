import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedText, Embedder } from '../../src/embedding/index.ts';
import { createIdSource, systemClock } from '../../src/kernel/index.ts';
import type { Draft } from '../../src/memory/draft.ts';
import { contentHash } from '../../src/memory/draft.ts';
import { prepareQuery } from '../../src/memory/recall/query.ts';
import { CODE, PROSE, type RankProfile, TURNS } from '../../src/memory/recall/rank.ts';
import { search } from '../../src/memory/recall/search.ts';
import { StatisticsCache } from '../../src/memory/recall/statistics.ts';
import { takeIn } from '../../src/memory/remember/intake.ts';
import { createEntry } from '../../src/memory/remember/write-entry.ts';
import { MEMORY_MIGRATIONS } from '../../src/memory/schema/migrations.ts';
import { ensureSpace, writeVector } from '../../src/memory/store/vectors.ts';
import { VectorCache } from '../../src/memory/vectors/vector-cache.ts';
import { type OpenStore, openStore } from '../../src/storage/index.ts';
import type { RetrievalSet, SetDocument } from './sets.ts';

export type Mode = 'lexical' | 'dense' | 'hybrid';
export const MODES: readonly Mode[] = ['lexical', 'dense', 'hybrid'];

/** What one query found, in the order in which memory would give it. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
  readonly passesFloor: boolean;
  /** Lexical evidence before it is mapped. */
  readonly lexical: number;
}

/** The embedder as a benchmark needs it: its vectors are on the disk already. */
export type SetEmbedder = Pick<Embedder, 'space' | 'countTokens' | 'embed'>;

/** A document as `remember` would keep it: cleaned, redacted, an error-fix line in its parts. */
export function storedDraft(text: string): Draft | undefined {
  return takeIn({ door: 'hooks', content: text }).drafts[0];
}

const PROFILES: Readonly<Record<RetrievalSet['content'], RankProfile>> = { prose: PROSE, code: CODE, turns: TURNS };

const BATCH = 500;

/** A real store in a temporary folder, filled with the documents of one set and searched as the product searches. */
export class MeasuredStore {
  readonly #folder: string;
  readonly #store: OpenStore;
  readonly #vectors: VectorCache;
  readonly #statistics = new StatisticsCache();
  readonly #embedder: SetEmbedder;
  /** Documents of each entry: equal texts are one entry. */
  readonly #documents = new Map<string, string[]>();
  readonly #profile: RankProfile;

  private constructor(folder: string, store: OpenStore, embedder: SetEmbedder, content: RetrievalSet['content']) {
    this.#folder = folder;
    this.#store = store;
    this.#embedder = embedder;
    this.#vectors = new VectorCache(store);
    this.#profile = PROFILES[content];
  }

  static async fill(
    documents: readonly SetDocument[],
    content: RetrievalSet['content'],
    embedder: SetEmbedder,
  ): Promise<MeasuredStore> {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-retrieval-'));
    const store = await openStore({
      path: join(folder, 'memory.db'),
      mode: 'create',
      clock: systemClock,
      ids: createIdSource(() => systemClock.now()),
      migrations: MEMORY_MIGRATIONS,
    });
    const measured = new MeasuredStore(folder, store, embedder, content);
    for (let at = 0; at < documents.length; at += BATCH) await measured.#write(documents.slice(at, at + BATCH));
    await measured.#embed();
    return measured;
  }

  async #write(documents: readonly SetDocument[]): Promise<void> {
    const drafts = documents.map(({ text }) => storedDraft(text));
    await this.#store.write((db) => {
      const context = {
        db,
        ids: createIdSource(() => systemClock.now()),
        at: systemClock.now(),
        actor: 'bench',
        countTokens: (text: string) => this.#embedder.countTokens(text),
      };
      documents.forEach(({ id, session }, i) => {
        const draft: Draft | undefined = drafts[i];
        if (draft === undefined) return;
        const known = db.get<{ id: string }>(
          'SELECT i.id FROM entry e JOIN entry_identity i ON i.key = e.key WHERE e.content_hash = ?',
          [draft.contentHash],
        );
        const entryId =
          known?.id ??
          createEntry(context, draft, {
            type: 'general',
            trust: 'agent',
            quality: true,
            provenance: { source: 'bench', at: context.at, ...(session === undefined ? {} : { session }) },
          }).id;
        const own = this.#documents.get(entryId);
        if (own === undefined) this.#documents.set(entryId, [id]);
        else own.push(id);
      });
    });
  }

  async #embed(): Promise<void> {
    const space = this.#embedder.space();
    // Without a space the store is one of words alone.
    if (space === undefined) return;
    const { db } = this.#store;
    const passages = db.all<{ key: number; start: number; end: number; text: string }>(
      `SELECT p.key, p.start, p."end", r.text FROM passage p JOIN entry e ON e.key = p.entry_key
       JOIN revision r ON r.key = e.revision_key ORDER BY p.key`,
    );
    for (let at = 0; at < passages.length; at += BATCH) {
      const part = passages
        .slice(at, at + BATCH)
        .map(({ key, start, end, text }) => ({ key, text: text.slice(start, end) }));
      const vectors = await this.#embedder.embed(
        part.map(({ text }) => text),
        { priority: 'background' },
      );
      await this.#store.write((db) => {
        const row = ensureSpace(db, space, systemClock.now());
        part.forEach(({ key, text }, i) => {
          const embedded: EmbeddedText | undefined = vectors[i];
          if (embedded === undefined) return;
          const { vector, unknownShare } = embedded;
          writeVector(db, { passageKey: key, spaceKey: row.key, vector, unknownShare, textHash: contentHash(text) });
        });
      });
    }
  }

  /** What the product finds for a query, in its order. `elapsed` counts the search alone, in milliseconds. */
  async ask(text: string, mode: Mode): Promise<{ readonly ranked: readonly Ranked[]; readonly elapsed: number }> {
    const query = prepareQuery({ text });
    const space = this.#embedder.space();
    const [embedded] = mode === 'lexical' ? [] : await this.#embedder.embed([query.text], { priority: 'query' });
    const profile = mode === 'dense' ? { ...this.#profile, wordsWeight: 0 } : this.#profile;
    const { db } = this.#store;
    const target = { db, vectors: this.#vectors, statistics: this.#statistics.read(db), now: systemClock.now() };
    const vector =
      embedded === undefined || space === undefined
        ? undefined
        : { vector: embedded.vector, fingerprint: space.fingerprint };
    const start = performance.now();
    const { hits } = await search(target, query, vector, { profile });
    const elapsed = performance.now() - start;
    const ranked = hits.flatMap(({ entry, score, passesFloor, evidence }) =>
      (this.#documents.get(entry.id) ?? []).map((id) => ({
        id,
        score: score.value,
        passesFloor,
        lexical: evidence.lexical,
      })),
    );
    return { ranked, elapsed };
  }

  close(): void {
    this.#vectors.close();
    this.#store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
