import { afterEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embedding/index.ts';

/** What every embedder promises; run by the real one and by the fake. `create` gives a ready-to-use one. */
export function describeEmbedder(name: string, create: () => Embedder | Promise<Embedder>): void {
  describe(`${name} as an embedder`, () => {
    const open: Embedder[] = [];
    const createOpen = async (): Promise<Embedder> => {
      const embedder = await create();
      open.push(embedder);
      return embedder;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((embedder) => embedder.close()));
    });

    it('gives vectors of length 1 in the order of the texts', async () => {
      const embedder = await createOpen();
      const texts = ['a first text about databases', 'another one about gardens', ''];
      const embedded = await embedder.embed(texts, { priority: 'query' });
      expect(embedded).toHaveLength(3);
      for (const { vector, tokens, unknownShare } of embedded) {
        expect(vector).toHaveLength(embedder.space()?.parts.dimension ?? 0);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
        expect(tokens).toBeGreaterThanOrEqual(2);
        expect(unknownShare).toBeGreaterThanOrEqual(0);
      }
      for (const [i, text] of texts.entries()) {
        const [alone] = await embedder.embed([text], { priority: 'background' });
        expect(alone?.vector).toEqual(embedded[i]?.vector);
      }
    });

    it('names its space by a fingerprint of 16 hex digits that stays', async () => {
      const embedder = await createOpen();
      const space = embedder.space();
      expect(space?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
      await embedder.embed(['text'], { priority: 'query' });
      expect(embedder.space()).toEqual(space);
    });

    it('puts a text nearer to one with the same words than to another', async () => {
      const embedder = await createOpen();
      const [a, b, c] = await embedder.embed(
        ['the tests fail on windows', 'on windows the tests fail', 'grandmother knits a scarf'],
        { priority: 'query' },
      );
      const dot = (x: ArrayLike<number> = [], y: ArrayLike<number> = []): number =>
        Array.from(x).reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
      expect(dot(a?.vector, b?.vector)).toBeGreaterThan(dot(a?.vector, c?.vector) + 0.3);
    });

    it('answers nothing with nothing', async () => {
      expect(await (await createOpen()).embed([], { priority: 'query' })).toEqual([]);
    });

    it('counts tokens without a cut, the two special ones included', async () => {
      const embedder = await createOpen();
      expect(embedder.countTokens('')).toBe(2);
      expect(embedder.countTokens('word '.repeat(1_000))).toBe(1_002);
      const [embedded] = await embedder.embed(['word '.repeat(1_000)], { priority: 'query' });
      expect(embedded?.tokens).toBe(embedder.space()?.parts.maxTokens);
    });

    it('refuses a call that was cancelled before it began', async () => {
      const embedder = await createOpen();
      await expect(embedder.embed(['text'], { priority: 'query', signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'cancelled',
      });
    });

    it('may be warmed often and fails with a code once closed', async () => {
      const embedder = await createOpen();
      embedder.warm();
      embedder.warm();
      await embedder.close();
      await embedder.close();
      await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code: 'embedder_failed' });
    });
  });
}
