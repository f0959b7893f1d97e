import { expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../bench/support/random.ts';
import { seededNotes } from '../../../bench/support/seeded-notes.ts';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { draftOfContent } from '../../../src/memory/draft.ts';
import { prepareQuery } from '../../../src/memory/recall/query.ts';
import { search } from '../../../src/memory/recall/search.ts';
import { createEntry, type WriteContext } from '../../../src/memory/remember/write-entry.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness } from '../support/harness.ts';

const NOTES = 3_000;
const QUERIES = 60;
const QUERY_WORDS = 12;
/** Passages from which on only the rarest terms of a query are looked for. */
const LARGE_STORE = 30_000;

/** Queries of words of one note each, frequent and rare ones as they come. */
function queries(): string[] {
  const random = seededRandom(3);
  return [...seededNotes(QUERIES, 1)].map(({ content }) => {
    const words = content
      .replace(/^.*?, /, '')
      .replace(/\.$/, '')
      .split(' ');
    return Array.from({ length: QUERY_WORDS }, () => words[Math.floor(random() * words.length)]).join(' ');
  });
}

it('M79 gives the same first three for the rarest terms as for all of a 12-term query, in 98 of 100 queries', async () => {
  const { runtime, context, close } = createHarness(temporaryFolder(), {
    embedder: createFakeEmbedder({ behaviour: 'missing' }),
  });
  onTestFinished(close);
  const { memory } = await runtime.forWrite(context, {});
  await memory.store.write((db) => {
    const write: WriteContext = { db, ids: runtime.deps.ids, at: 1, actor: 'test', countTokens: () => undefined };
    for (const { content, type } of seededNotes(NOTES, 1)) {
      const provenance = { source: 'test', at: 1 };
      createEntry(write, draftOfContent(content, {}), { type, trust: 'agent', quality: true, provenance });
    }
  });
  const statistics = memory.recall.statistics.read(memory.store.db);
  const firstThree = async (text: string, passages: number): Promise<string[]> => {
    const target = { db: memory.store.db, vectors: memory.vectors, statistics: { ...statistics, passages }, now: 1 };
    const { hits } = await search(target, prepareQuery({ text }), undefined);
    return hits.slice(0, 3).map(({ entry }) => entry.id);
  };
  let equal = 0;
  for (const text of queries()) {
    const whole = await firstThree(text, LARGE_STORE);
    const pruned = await firstThree(text, LARGE_STORE + 1);
    expect(whole).toHaveLength(3);
    if (whole.join() === pruned.join()) equal += 1;
  }
  expect(equal / QUERIES).toBeGreaterThanOrEqual(0.98);
}, 60_000);
