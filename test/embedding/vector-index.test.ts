import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVectorIndex, type Neighbour, type VectorIndex } from '../../src/embedding/index.ts';

const DIMENSION = 384;

/** Unit vectors of a seeded generator (a linear congruence), one after another. */
function randomRows(count: number, seed: number, dimension = DIMENSION): Float32Array {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const rows = new Float32Array(count * dimension);
  for (let row = 0; row < count; row++) {
    const vector = rows.subarray(row * dimension, (row + 1) * dimension);
    for (let i = 0; i < dimension; i++) vector[i] = next() + next() + next();
    const length = Math.hypot(...vector);
    for (let i = 0; i < dimension; i++) vector[i] = vector[i]! / length;
  }
  return rows;
}

const rowOf = (rows: Float32Array, row: number, dimension = DIMENSION): Float32Array =>
  rows.subarray(row * dimension, (row + 1) * dimension);

function fill(index: VectorIndex, rows: Float32Array, firstId = 1): void {
  const count = rows.length / DIMENSION;
  for (let first = 0; first < count; first += 256) {
    const size = Math.min(256, count - first);
    const ids = Array.from({ length: size }, (_, i) => firstId + first + i);
    index.addPacked(ids, new Uint8Array(rows.buffer, first * DIMENSION * 4, size * DIMENSION * 4));
  }
}

function bruteForce(rows: Float32Array, query: Float32Array, k: number): Neighbour[] {
  const scored = Array.from({ length: rows.length / DIMENSION }, (_, row) => {
    let score = 0;
    for (let i = 0; i < DIMENSION; i++) score += rows[row * DIMENSION + i]! * query[i]!;
    return { id: row + 1, score };
  });
  return scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
}

const idsOf = (found: readonly Neighbour[]): number[] => found.map(({ id }) => id);

describe('the vector index', () => {
  const rows = randomRows(3_000, 1);
  const query = randomRows(1, 2);

  it.each([
    ['exact', Number.POSITIVE_INFINITY],
    ['split', 1],
  ])('%s: finds what a plain loop finds, with the same scores', (_, splitRows) => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', splitRows });
    fill(index, rows);
    const found = index.search(query, 50);
    const expected = bruteForce(rows, query, 50);
    expect(idsOf(found)).toEqual(idsOf(expected));
    found.forEach(({ score }, i) => {
      expect(Math.abs(score - expected[i]!.score)).toBeLessThan(1e-6);
    });
  });

  it('changes from one form to the other on the way without losing or moving anything', () => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', splitRows: 2_000 });
    fill(index, rows.slice(0, 1_999 * DIMENSION));
    const before = index.bytes;
    expect(idsOf(index.search(query, 20))).toEqual(idsOf(bruteForce(rows.slice(0, 1_999 * DIMENSION), query, 20)));
    index.set(2_000, rowOf(rows, 1_999));
    expect(index.bytes).toBeLessThan(before);
    fill(index, rows.slice(2_000 * DIMENSION), 2_001);
    expect(idsOf(index.search(query, 20))).toEqual(idsOf(bruteForce(rows, query, 20)));
  });

  it('has recall@10 of at least .98 against the exact scan where the int8 scan comes first', () => {
    const many = randomRows(20_000, 3);
    const exact = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f' });
    const approximate = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', splitRows: 1 });
    fill(exact, many);
    fill(approximate, many);
    const queries = randomRows(50, 4);
    let hits = 0;
    for (let i = 0; i < 50; i++) {
      const wanted = new Set(idsOf(exact.search(rowOf(queries, i), 10)));
      hits += idsOf(approximate.search(rowOf(queries, i), 10)).filter((id) => wanted.has(id)).length;
    }
    expect(hits / 500).toBeGreaterThanOrEqual(0.98);
  });

  it('holds at most 1,700 bytes a row, in both forms', () => {
    for (const splitRows of [Number.POSITIVE_INFINITY, 1]) {
      const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', splitRows });
      fill(index, rows.slice(0, 2_048 * DIMENSION));
      expect(index.bytes / index.size).toBeLessThanOrEqual(1_700 - 45);
    }
  });

  it('searches only the candidates, however many and whatever else they name', () => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f' });
    fill(index, rows);
    const candidates = Array.from({ length: 1_500 }, (_, i) => 2 * i + 1);
    const expected = bruteForce(rows, query, 3_000).filter(({ id }) => id % 2 === 1);
    const found = index.search(query, 5, { candidates: [...candidates, 99_999, 1, 1] });
    expect(idsOf(found)).toEqual(idsOf(expected.slice(0, 5)));
    expect(index.search(query, 5, { candidates: [] })).toEqual([]);
  });

  it('puts the lower id first among equal scores, also at the edge of the list', () => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f' });
    for (const id of [9, 3, 7, 5, 1]) index.set(id, query);
    expect(idsOf(index.search(query, 3))).toEqual([1, 3, 5]);
  });

  it('agrees with a plain map under any adding, replacing and removing', () => {
    const pool = randomRows(40, 5, 16);
    const step = fc.tuple(
      fc.constantFrom('set', 'set', 'remove'),
      fc.integer({ min: 1, max: 12 }),
      fc.nat({ max: 39 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(1, 6, 1_000), (steps, splitRows) => {
        const index = createVectorIndex({ dimension: 16, fingerprint: 'f', splitRows });
        const model = new Map<number, number>();
        for (const [action, id, row] of steps) {
          if (action === 'set') {
            index.set(id, rowOf(pool, row, 16));
            model.set(id, row);
          } else {
            expect(index.remove(id)).toBe(model.delete(id));
          }
        }
        const found = index.search(rowOf(pool, 0, 16), 50);
        expect(new Set(idsOf(found))).toEqual(new Set(model.keys()));
        expect(index.size).toBe(model.size);
        for (const { id, score } of found) {
          let expected = 0;
          for (let i = 0; i < 16; i++) expected += pool[i]! * pool[model.get(id)! * 16 + i]!;
          expect(Math.abs(score - expected)).toBeLessThan(1e-5);
        }
      }),
    );
  });

  it('searches in slices with the same result, lets others in, and can be cancelled', async () => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', splitRows: 1, sliceMs: 0 });
    fill(index, rows);
    const [a, b] = await Promise.all([index.searchAsync(query, 10), index.searchAsync(rowOf(rows, 7), 1)]);
    expect(a).toEqual(index.search(query, 10));
    expect(b[0]?.id).toBe(8);
    await expect(index.searchAsync(query, 10, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('is not confused by rows that are removed while a search in slices waits', async () => {
    // A slice of 0 ms pauses after every 1,024 rows.
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f', sliceMs: 0 });
    fill(index, rows);
    const searches = Array.from({ length: 8 }, (_, i) => index.searchAsync(rowOf(rows, 2_900 + i), 1));
    for (let id = 1; id <= 30; id++) {
      await new Promise((resolve) => setImmediate(resolve));
      index.remove(id);
    }
    expect((await Promise.all(searches)).map(([best]) => best?.id)).toEqual(
      Array.from({ length: 8 }, (_, i) => 2_901 + i),
    );
  });

  it('refuses vectors of another dimension and packed rows that are there already', () => {
    const index = createVectorIndex({ dimension: DIMENSION, fingerprint: 'f' });
    index.set(1, query);
    expect(() => index.set(2, new Float32Array(16))).toThrow('384');
    expect(() => index.search(new Float32Array(16), 1)).toThrow('384');
    expect(() => index.addPacked([1], new Uint8Array(DIMENSION * 4))).toThrow('there already');
    expect(() => index.addPacked([2, 3], new Uint8Array(DIMENSION * 4))).toThrow('announced');
    expect(() => createVectorIndex({ dimension: 100, fingerprint: 'f' })).toThrow('multiple of 16');
  });
});
