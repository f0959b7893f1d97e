import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../support/folders.ts';
import { readCsv, readTarGz, readZipEntry } from './archives.ts';

export interface SetDocument {
  readonly id: string;
  readonly text: string;
  /** The sitting in which it was said; documents of one sitting follow each other. */
  readonly session?: string;
}

export interface SetQuery {
  readonly id: string;
  readonly text: string;
  /** Documents that answer it; empty for a query that nothing answers. */
  readonly relevant: readonly string[];
  /** Documents that do not count for this query: the report that the query was taken from. */
  readonly ignored?: readonly string[];
}

/** Documents of one store with the queries that are asked of it. */
export interface SetStore {
  readonly documents: readonly SetDocument[];
  readonly queries: readonly SetQuery[];
}

export type Measure = 'mrr' | 'ndcg10' | 'recall10' | 'top1' | 'top3';

/** One benchmark of retrieval. */
export interface RetrievalSet {
  readonly name: string;
  /** What it measures, in one line of the report. */
  readonly title: string;
  readonly stores: readonly SetStore[];
  /** Decides the profile of the order: memory's own is that of prose. */
  readonly content: 'prose' | 'code' | 'turns';
  readonly measures: readonly Measure[];
}

type Loader = (folder: string) => RetrievalSet;

/** Our own sets, in the repository. */
const OWN_DATA = join(ROOT, 'bench', 'data');

/** Longest document, in UTF-16 units: what a store takes as one learning. */
const MAX_DOCUMENT = 8_000;

function cut(text: string): string {
  if (text.length <= MAX_DOCUMENT) return text;
  // Not between the halves of a surrogate pair.
  const end = (text.charCodeAt(MAX_DOCUMENT) & 0xfc00) === 0xdc00 ? MAX_DOCUMENT - 1 : MAX_DOCUMENT;
  return text.slice(0, end);
}

/** One session, as when an agent stores everything it learned in one sitting: the worst case for neighbours. */
const ONE_SITTING = 'sitting';

function loadOwn20(): RetrievalSet {
  const data = JSON.parse(readFileSync(join(OWN_DATA, 'own20.json'), 'utf8')) as {
    notes: { content: string }[];
    queries: { text: string; note: number }[];
    noise: string[];
  };
  const documents = data.notes.map(({ content }, i) => ({ id: String(i), text: content, session: ONE_SITTING }));
  const asked = data.queries.map(({ text, note }, i) => ({ id: `q${i}`, text, relevant: [String(note)] }));
  const noise = data.noise.map((text, i) => ({ id: `n${i}`, text, relevant: [] }));
  return {
    name: 'own20',
    title: '20 notes, 20 paraphrases, 5 noise queries',
    stores: [{ documents, queries: [...asked, ...noise] }],
    content: 'prose',
    measures: ['top1', 'top3', 'mrr'],
  };
}

interface OwnNotes {
  readonly notes: readonly string[];
  readonly queries: readonly { readonly text: string; readonly note: number }[];
  readonly direct: readonly { readonly text: string; readonly note: number }[];
  readonly nearMiss: readonly { readonly text: string }[];
  readonly noise: readonly string[];
}

/** 200 notes of invented projects; half of the paraphrases are what the lexical map was fitted on. */
function loadOwnNotes(): RetrievalSet {
  const data = JSON.parse(readFileSync(join(OWN_DATA, 'own-notes.json'), 'utf8')) as OwnNotes;
  const documents = data.notes.map((text, i) => ({ id: String(i), text, session: ONE_SITTING }));
  const asked = data.queries.map(({ text, note }, i) => ({ id: `q${i}`, text, relevant: [String(note)] }));
  const nearMiss = data.nearMiss.map(({ text }, i) => ({ id: `m${i}`, text, relevant: [] }));
  const noise = data.noise.map((text, i) => ({ id: `n${i}`, text, relevant: [] }));
  return {
    name: 'own200',
    title: '200 notes, 200 paraphrases with few common words, 40 near misses, 60 noise queries',
    stores: [{ documents, queries: [...asked, ...nearMiss, ...noise] }],
    content: 'prose',
    measures: ['top1', 'top3', 'mrr'],
  };
}

/** The same notes, asked for in the words that somebody at the same work would use. */
function loadOwnDirect(): RetrievalSet {
  const data = JSON.parse(readFileSync(join(OWN_DATA, 'own-notes.json'), 'utf8')) as OwnNotes;
  const documents = data.notes.map((text, i) => ({ id: String(i), text, session: ONE_SITTING }));
  const asked = data.direct.map(({ text, note }, i) => ({ id: `d${i}`, text, relevant: [String(note)] }));
  return {
    name: 'own60',
    title: 'the same 200 notes, 60 questions in their own words',
    stores: [{ documents, queries: asked }],
    content: 'prose',
    measures: ['top1', 'top3', 'mrr'],
  };
}

/** A document's title from its frontmatter, and its body without frontmatter and without its first heading. */
function splitSolution(text: string): { title: string | undefined; body: string } {
  const front = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  const rest = front === null ? text : text.slice(front[0].length);
  const heading = /^# +(.+)$/m.exec(rest);
  const named = front === null ? undefined : /^title: *(.+)$/m.exec(front[1] ?? '')?.[1];
  const body = heading === null ? rest : rest.slice(0, heading.index) + rest.slice(heading.index + heading[0].length);
  return { title: (named ?? heading?.[1])?.trim().replace(/^(["'])(.*)\1$/, '$2'), body: body.trim() };
}

function loadSolutions(folder: string): RetrievalSet {
  const files = readTarGz(readFileSync(join(folder, 'solutions', 'yellow-solutions.tar.gz')));
  const parts = files
    .filter(({ path }) => path.endsWith('.md'))
    .map(({ path, text }) => ({ path, ...splitSolution(text) }));
  const documents = parts.map(({ path, body }) => ({ id: path, text: body }));
  const queries = parts.flatMap(({ path, title }) =>
    title === undefined ? [] : [{ id: path, text: title, relevant: [path] }],
  );
  return {
    name: 'yellow',
    title: 'solution documents: title to body',
    stores: [{ documents, queries }],
    content: 'prose',
    measures: ['mrr'],
  };
}

function loadHadoop(folder: string): RetrievalSet {
  const reports = readCsv(
    gunzipSync(readFileSync(join(folder, 'gitbugs-hadoop', 'hadoop_bugs.csv.gz'))).toString('utf8'),
  );
  const pairs = readCsv(readFileSync(join(folder, 'gitbugs-hadoop', 'hadoop_bugs-combined.csv'), 'utf8'));
  const titles = new Map(reports.map((row) => [row['Issue id'] ?? '', row['Summary'] ?? '']));
  const documents = reports.map((row) => ({
    id: row['Issue id'] ?? '',
    text: cut(`${row['Summary']}\n${row['Description']}`),
  }));
  const queries = pairs.flatMap((row) => {
    const [id, other] = [row['Issue id'] ?? '', row['Duplicate id'] ?? ''];
    const text = titles.get(id);
    return text === undefined || !titles.has(other) ? [] : [{ id, text, relevant: [other], ignored: [id] }];
  });
  return {
    name: 'hadoop',
    title: 'bug reports: title to labelled duplicate',
    stores: [{ documents, queries }],
    content: 'prose',
    measures: ['mrr', 'recall10'],
  };
}

/** Abstracts are printed as a NumPy array of quoted sentences. */
function parseSentences(text: string): string {
  const sentences = [...text.matchAll(/'((?:[^'\\]|\\.)*)'(?=\s|\])|"((?:[^"\\]|\\.)*)"(?=\s|\])/g)];
  return sentences.map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1').trim()).join(' ');
}

function loadSciFact(folder: string): RetrievalSet {
  const zip = readFileSync(join(folder, 'scifact', 'scifact.zip'));
  const read = (name: string): Record<string, string>[] => readCsv(readZipEntry(zip, name).toString('utf8'));
  const documents = read('corpus_train.csv').map((row) => ({
    id: row['doc_id'] ?? '',
    text: cut(`${row['title']}\n${parseSentences(row['abstract'] ?? '')}`),
  }));
  const claims = new Map<string, { text: string; relevant: Set<string> }>();
  for (const row of read('claims_validation.csv')) {
    const claim = claims.get(row['id'] ?? '') ?? { text: row['claim'] ?? '', relevant: new Set<string>() };
    for (const id of (row['cited_doc_ids'] ?? '').match(/\d+/g) ?? []) claim.relevant.add(id);
    claims.set(row['id'] ?? '', claim);
  }
  const queries = [...claims].map(([id, { text, relevant }]) => ({ id, text, relevant: [...relevant] }));
  return {
    name: 'scifact',
    title: 'claims to abstracts',
    stores: [{ documents, queries }],
    content: 'prose',
    measures: ['ndcg10', 'mrr'],
  };
}

interface Conversation {
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

const UNANSWERABLE = 5;

function loadLoCoMo(folder: string): RetrievalSet {
  const raw = gunzipSync(readFileSync(join(folder, 'locomo', 'locomo10.json.gz'))).toString('utf8');
  const stores = (JSON.parse(raw) as Conversation[]).map(({ conversation, qa }, n): SetStore => {
    const sessions = Object.entries(conversation).filter(
      ([key, value]) => /^session_\d+$/.test(key) && Array.isArray(value),
    );
    sessions.sort(([a], [b]) => Number(a.slice(8)) - Number(b.slice(8)));
    const documents = sessions.flatMap(([session, turns]) =>
      (turns as Turn[]).map(({ speaker, dia_id, text }) => ({ id: dia_id, text: `${speaker}: ${text}`, session })),
    );
    const known = new Set(documents.map(({ id }) => id));
    const queries = qa.flatMap(({ question, evidence, category }, i) => {
      const id = `${n}:${i}`;
      if (category === UNANSWERABLE) return [{ id, text: question, relevant: [] }];
      const relevant = (evidence ?? [])
        .flatMap((item) => item.match(/D\d+:\d+/g) ?? [])
        .filter((item) => known.has(item));
      return relevant.length === 0 ? [] : [{ id, text: question, relevant: [...new Set(relevant)] }];
    });
    return { documents, queries };
  });
  return {
    name: 'locomo',
    title: 'turns of a long conversation; kind 5 has no answer',
    stores,
    content: 'turns',
    measures: ['mrr', 'recall10'],
  };
}

function loadCoSQA(folder: string): RetrievalSet {
  const read = (name: string): unknown =>
    JSON.parse(gunzipSync(readFileSync(join(folder, 'cosqa', name))).toString('utf8'));
  const functions = read('code_idx_map.txt.gz') as Record<string, number>;
  const asked = read('cosqa-retrieval-test-500.json.gz') as { idx: string; doc: string; retrieval_idx: number }[];
  return {
    name: 'cosqa',
    title: 'web queries to functions',
    stores: [
      {
        documents: Object.entries(functions).map(([code, index]) => ({ id: String(index), text: cut(code) })),
        queries: asked.map(({ idx, doc, retrieval_idx }) => ({
          id: idx,
          text: doc,
          relevant: [String(retrieval_idx)],
        })),
      },
    ],
    content: 'code',
    measures: ['mrr', 'ndcg10'],
  };
}

const LOADERS: Readonly<Record<string, Loader>> = {
  own20: loadOwn20,
  own200: loadOwnNotes,
  own60: loadOwnDirect,
  yellow: loadSolutions,
  hadoop: loadHadoop,
  locomo: loadLoCoMo,
  cosqa: loadCoSQA,
  scifact: loadSciFact,
};

export const SET_NAMES: readonly string[] = Object.keys(LOADERS);

/** A set from the folder of public benchmark data, or the reason why it cannot be measured here. */
export function loadSet(
  name: string,
  folder: string,
): RetrievalSet | { readonly name: string; readonly skipped: string } {
  const loader = LOADERS[name];
  if (loader === undefined) throw new Error(`unknown set ${name}; known: ${SET_NAMES.join(', ')}`);
  if (!name.startsWith('own') && !existsSync(folder)) return { name, skipped: `no benchmark data at ${folder}` };
  return loader(folder);
}
