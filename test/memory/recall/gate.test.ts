import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MeasuredStore, type Mode } from '../../../bench/retrieval/measured-store.ts';
import { loadSet, type RetrievalSet, type SetQuery } from '../../../bench/retrieval/sets.ts';
import { resolveWeights } from '../../../src/cli/weights.ts';
import { createMiniLmEmbedder, type Embedder } from '../../../src/embedding/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { type BuiltRoom, buildRoom } from '../../embedding/built-worker.ts';

/**
 * Real notes, real questions, the real model: what a change of the search must not make worse. The bounds stand a little
 * under what was measured when they were written (`bench/results`).
 */
const MINUTES = 5 * 60_000;

interface Outcome {
  readonly top1: number;
  readonly top3: number;
  /** Questions whose right note is over its floor. */
  readonly overFloor: number;
  /** Share of the right notes among the first ten that are under their floor. */
  readonly lost: number;
}

async function askAll(store: MeasuredStore, queries: readonly SetQuery[], mode: Mode): Promise<Outcome> {
  let [top1, top3, overFloor, amongTen, lost] = [0, 0, 0, 0, 0];
  for (const { text, relevant } of queries) {
    const { ranked } = await store.ask(text, mode);
    const place = ranked.findIndex(({ id }) => relevant.includes(id));
    const passes = ranked[place]?.passesFloor === true;
    if (place === 0) top1 += 1;
    if (place >= 0 && place < 3) top3 += 1;
    if (passes) overFloor += 1;
    if (place >= 0 && place < 10) {
      amongTen += 1;
      if (!passes) lost += 1;
    }
  }
  return { top1, top3, overFloor, lost: lost / Math.max(1, amongTen) };
}

/** Share of questions without an answer that get one. */
async function falseRecall(store: MeasuredStore, queries: readonly SetQuery[], mode: Mode): Promise<number> {
  let given = 0;
  for (const { text } of queries) {
    const { ranked } = await store.ask(text, mode);
    if (ranked.some(({ passesFloor }) => passesFloor)) given += 1;
  }
  return given / Math.max(1, queries.length);
}

function readSet(name: string): RetrievalSet {
  const set = loadSet(name, '');
  if ('skipped' in set) throw new Error(set.skipped);
  return set;
}

function queriesOf(set: RetrievalSet, prefix: string): readonly SetQuery[] {
  return set.stores.flatMap(({ queries }) => queries.filter(({ id }) => id.startsWith(prefix)));
}

const own20 = readSet('own20');
const own200 = readSet('own200');
const own60 = readSet('own60');

describe('retrieval gate', () => {
  let room: BuiltRoom;
  let embedder: Embedder;
  let small: MeasuredStore;
  let large: MeasuredStore;

  beforeAll(async () => {
    room = await buildRoom();
    embedder = createMiniLmEmbedder({ resolveWeights, workerPath: room.workerPath, clock: systemClock });
    small = await MeasuredStore.fill(own20.stores[0]?.documents ?? [], 'prose', embedder);
    large = await MeasuredStore.fill(own200.stores[0]?.documents ?? [], 'prose', embedder);
  }, MINUTES);

  afterAll(async () => {
    small?.close();
    large?.close();
    await embedder?.close();
    await room.remove();
  });

  it('M68: the own 20 notes by words alone: 15 first, 18 among three, 11 over the floor, no noise', async () => {
    const outcome = await askAll(small, queriesOf(own20, 'q'), 'lexical');
    expect(outcome.top1).toBeGreaterThanOrEqual(15);
    expect(outcome.top3).toBeGreaterThanOrEqual(18);
    expect(outcome.overFloor).toBeGreaterThanOrEqual(11);
    expect(await falseRecall(small, queriesOf(own20, 'n'), 'lexical')).toBe(0);
  });

  it(
    'M68: the own 20 notes with vectors: all first, 15 over the floor, no noise',
    async () => {
      const outcome = await askAll(small, queriesOf(own20, 'q'), 'hybrid');
      expect(outcome.top1).toBe(20);
      expect(outcome.overFloor).toBeGreaterThanOrEqual(15);
      expect(await falseRecall(small, queriesOf(own20, 'n'), 'hybrid')).toBe(0);
    },
    MINUTES,
  );

  it(
    'finds 200 notes by their own words, loses at most one in ten to the floor',
    async () => {
      const questions = queriesOf(own60, 'd');
      const hybrid = await askAll(large, questions, 'hybrid');
      expect(hybrid.top1).toBeGreaterThanOrEqual(57);
      expect(hybrid.top3).toBeGreaterThanOrEqual(59);
      expect(hybrid.lost).toBeLessThanOrEqual(0.1);
      const lexical = await askAll(large, questions, 'lexical');
      expect(lexical.top3).toBeGreaterThanOrEqual(56);
      expect(lexical.lost).toBeLessThanOrEqual(0.2);
    },
    MINUTES,
  );

  it(
    'finds 200 notes by paraphrases at least as well as the better of words and vectors',
    async () => {
      const questions = queriesOf(own200, 'q');
      const [lexical, dense, hybrid] = [
        await askAll(large, questions, 'lexical'),
        await askAll(large, questions, 'dense'),
        await askAll(large, questions, 'hybrid'),
      ];
      expect(hybrid.top1).toBeGreaterThanOrEqual(140);
      expect(hybrid.top3).toBeGreaterThanOrEqual(176);
      // One question of 200 is half a point.
      expect(hybrid.top1).toBeGreaterThanOrEqual(Math.max(lexical.top1, dense.top1) - 2);
      expect(hybrid.top3).toBeGreaterThanOrEqual(Math.max(lexical.top3, dense.top3) - 2);
    },
    MINUTES,
  );

  it(
    'gives nothing to questions of other worlds, and to one in three of the same kind at most',
    async () => {
      for (const mode of ['lexical', 'hybrid'] as const) {
        expect(await falseRecall(large, queriesOf(own200, 'n'), mode), mode).toBeLessThanOrEqual(0.05);
        expect(await falseRecall(large, queriesOf(own200, 'm'), mode), mode).toBeLessThanOrEqual(0.33);
      }
    },
    MINUTES,
  );
});
