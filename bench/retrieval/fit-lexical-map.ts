/**
 * Shows what the lexical-only map is fitted on: `npx tsx bench/retrieval/fit-lexical-map.ts`. For each threshold of the
 * lexical evidence: how many right notes pass (fitting half of the own 200 questions), and how many questions of other
 * worlds and of the same kind get anything at all, in stores of 20, 200 and 2,000 notes.
 */
import { ROOT } from '../support/folders.ts';
import { MeasuredStore, type SetEmbedder } from './measured-store.ts';
import { halfOf } from './measures.ts';
import { loadSet, type SetDocument, type SetQuery } from './sets.ts';

const THRESHOLDS = [0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.25, 0.3];

const set = loadSet('own200', '');
if ('skipped' in set) throw new Error(set.skipped);
const [store] = set.stores;
if (store === undefined) throw new Error('the set has no store');
const others = loadSet('hadoop', `${ROOT}/../shared/bench`);
const filler = 'skipped' in others ? [] : (others.stores[0]?.documents ?? []);
const wordsOnly: SetEmbedder = { space: () => undefined, countTokens: () => undefined, embed: async () => [] };

async function evidenceOf(measured: MeasuredStore, query: SetQuery): Promise<{ right: number; best: number }> {
  const { ranked } = await measured.ask(query.text, 'lexical');
  const right = ranked.find(({ id }) => query.relevant.includes(id))?.lexical ?? 0;
  return { right, best: Math.max(0, ...ranked.map(({ lexical }) => lexical)) };
}

async function report(name: string, documents: readonly SetDocument[], queries: readonly SetQuery[]): Promise<void> {
  const measured = await MeasuredStore.fill(documents, 'prose', wordsOnly);
  const known = new Set(documents.map(({ id }) => id));
  const found: { query: SetQuery; right: number; best: number }[] = [];
  for (const query of queries) found.push({ query, ...(await evidenceOf(measured, query)) });
  measured.close();
  const asked = found.filter(({ query }) => query.relevant.some((id) => known.has(id)) && halfOf(query) === 'fit');
  const unanswered = (prefix: string) =>
    found.filter(({ query }) => query.id.startsWith(prefix) && query.relevant.length === 0);
  console.log(`${name}: ${documents.length} notes, ${asked.length} questions`);
  for (const threshold of THRESHOLDS) {
    const share = (list: readonly { right: number; best: number }[], value: 'right' | 'best'): string =>
      ((100 * list.filter((item) => item[value] >= threshold).length) / Math.max(1, list.length)).toFixed(1);
    console.log(
      `  ${threshold.toFixed(2)}  right ${share(asked, 'right')} %  noise ${share(unanswered('n'), 'best')} %  near miss ${share(unanswered('m'), 'best')} %`,
    );
  }
}

await report('small', store.documents.slice(0, 20), store.queries);
await report('own', store.documents, store.queries);
await report('large', [...store.documents, ...filler.slice(0, 1_800)], store.queries);
