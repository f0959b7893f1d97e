import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../src/embedding/index.ts';
import { describeEmbedder } from './embedder.contract.ts';

describeEmbedder('the fake', () => createFakeEmbedder());

describe('the behaviours of the fake', () => {
  it.each([
    ['failing', 'failed', 'embedder_failed'],
    ['missing', 'missing', 'embedder_missing'],
    ['damaged', 'damaged', 'embedder_damaged'],
  ] as const)('%s: state %s, calls fail with %s, until it is ready', async (behaviour, state, code) => {
    const embedder = createFakeEmbedder({ behaviour });
    expect(embedder.state()).toBe(state);
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code });
    expect(embedder.space() === undefined).toBe(behaviour !== 'failing');
    embedder.behave('ready');
    expect(await embedder.embed(['text'], { priority: 'query' })).toHaveLength(1);
    expect(embedder.embedded).toEqual(['text']);
  });

  it('stalled: calls wait, can be cancelled, and are answered afterwards', async () => {
    const embedder = createFakeEmbedder({ behaviour: 'stalled' });
    const abort = new AbortController();
    const cancelled = embedder.embed(['one'], { priority: 'query', signal: abort.signal });
    const answered = embedder.embed(['two'], { priority: 'query' });
    expect(embedder.state()).toBe('warming');
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    embedder.behave('ready');
    expect(await answered).toHaveLength(1);
    expect(embedder.embedded).toEqual(['two']);
  });
});
