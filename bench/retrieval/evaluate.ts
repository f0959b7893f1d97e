import type { PlainScorer } from '../baselines/plain.ts';
import { plainBm25, plainDense, plainMix } from '../baselines/plain.ts';
import { MeasuredStore, MODES, type Mode, type Ranked, type SetEmbedder } from './measured-store.ts';
import { halfOf, mean, measure } from './measures.ts';
import type { Measure, RetrievalSet, SetQuery, SetStore } from './sets.ts';

/** What stands beside our three modes. */
export type System = Mode | 'bm25' | 'minilm' | 'mix';
export const SYSTEMS: readonly System[] = ['bm25', 'minilm', 'mix', ...MODES];

/** Weight of the words in the plain mix: what was best for each kind of text when the baseline was settled. */
const MIX_WEIGHT = { prose: 0.7, code: 0.2, turns: 0.7 } as const;

/** One query's answer by one system. */
export interface Asked {
  readonly query: SetQuery;
  readonly ids: readonly string[];
  readonly ranked: readonly Ranked[];
  /** Milliseconds; our modes alone. */
  readonly elapsed: number;
}

export interface Evaluation {
  readonly set: RetrievalSet;
  readonly answers: Readonly<Record<System, readonly Asked[]>>;
  /** Questions of other sets that nothing here answers. */
  readonly foreign: Readonly<Record<Mode, readonly Asked[]>>;
}

export type Embedding = SetEmbedder & { vectorOf(text: string): Float32Array };

/** Runs every query of a set through our product path and the plain baseline. `withDense` is false without their vectors. */
export async function evaluate(
  set: RetrievalSet,
  embedding: Embedding,
  foreign: readonly SetQuery[],
  withDense: boolean,
): Promise<Evaluation> {
  const answers: Record<System, Asked[]> = { bm25: [], minilm: [], mix: [], lexical: [], dense: [], hybrid: [] };
  const strangers: Record<Mode, Asked[]> = { lexical: [], dense: [], hybrid: [] };
  for (const [n, store] of set.stores.entries()) {
    askPlain(set, store, embedding, withDense, answers);
    const measured = await MeasuredStore.fill(store.documents, set.content, embedding);
    for (const mode of MODES) {
      for (const query of store.queries) answers[mode].push(await askOurs(measured, query, mode));
      // One store of a set is enough for questions that have nothing to do with it.
      if (n === 0) for (const query of foreign) strangers[mode].push(await askOurs(measured, query, mode));
    }
    measured.close();
  }
  return { set, answers, foreign: strangers };
}

async function askOurs(measured: MeasuredStore, query: SetQuery, mode: Mode): Promise<Asked> {
  const { ranked, elapsed } = await measured.ask(query.text, mode);
  return { query, ids: ranked.map(({ id }) => id), ranked, elapsed };
}

function askPlain(
  set: RetrievalSet,
  store: SetStore,
  embedding: Embedding,
  withDense: boolean,
  answers: Record<System, Asked[]>,
): void {
  const texts = store.documents.map(({ text }) => text);
  const words = plainBm25(texts);
  const scorers: [System, PlainScorer][] = [['bm25', words]];
  if (withDense) {
    const dense = plainDense(texts, (text) => embedding.vectorOf(text));
    scorers.push(['minilm', dense], ['mix', plainMix(words, dense, MIX_WEIGHT[set.content])]);
  }
  for (const [system, scorer] of scorers) {
    for (const query of store.queries) {
      const scores = scorer(query.text);
      const order = [...scores.keys()]
        .filter((i) => (scores[i] ?? 0) > 0)
        .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      const ids = order.slice(0, 1_000).map((i) => store.documents[i]?.id ?? '');
      answers[system].push({ query, ids, ranked: [], elapsed: 0 });
    }
  }
}

/** Mean of a measure over the queries that have an answer; `half` keeps one half of them. */
export function score(asked: readonly Asked[], name: Measure, half?: 'fit' | 'held'): number | undefined {
  const answerable = asked.filter(
    ({ query }) => query.relevant.length > 0 && (half === undefined || halfOf(query) === half),
  );
  return answerable.length === 0 ? undefined : mean(answerable.map(({ query, ids }) => measure(name, ids, query)));
}
