import { type Encoder, PASS_TOKENS } from '../model/encoder.ts';
import type { Tokenizer, Tokens } from '../tokenizer/word-piece.ts';
import type { JobResult, Priority } from './messages.ts';

/** A background pass is half as long as a query's may be: a query waits at most that long (about 60 ms). */
const BACKGROUND_PASS_TOKENS = PASS_TOKENS / 2;

interface Job {
  readonly id: number;
  readonly texts: readonly string[];
  readonly priority: Priority;
  readonly vectors: Float32Array[];
  readonly tokens: Tokens[];
}

/** The jobs of one worker. One call of `step` runs one pass, a query's before any other. */
export interface JobQueue {
  add(job: { readonly id: number; readonly texts: readonly string[]; readonly priority: Priority }): void;
  remove(id: number): void;
  readonly isEmpty: boolean;
  /** Runs one pass; gives the job that it finished, if it did. */
  step(): { readonly id: number; readonly result: JobResult } | undefined;
}

/** The next texts of a job that fit into one pass: at least one. */
function takePass(job: Job, tokenizer: Tokenizer): Tokens[] {
  const limit = job.priority === 'query' ? PASS_TOKENS : BACKGROUND_PASS_TOKENS;
  const pass: Tokens[] = [];
  let total = 0;
  for (const text of job.texts.slice(job.vectors.length)) {
    const tokens = tokenizer.encode(text, PASS_TOKENS);
    if (pass.length > 0 && total + tokens.ids.length > limit) break;
    pass.push(tokens);
    total += tokens.ids.length;
  }
  return pass;
}

function toResult(job: Job): JobResult {
  const dimension = job.vectors[0]?.length ?? 0;
  const vectors = new Float32Array(job.vectors.length * dimension);
  for (const [i, vector] of job.vectors.entries()) vectors.set(vector, i * dimension);
  return {
    vectors,
    tokens: job.tokens.map(({ ids }) => ids.length),
    unknownShares: job.tokens.map(({ unknownShare }) => unknownShare),
  };
}

export function createJobQueue(tokenizer: Tokenizer, encoder: Encoder): JobQueue {
  const jobs: Job[] = [];
  const next = (): Job | undefined => jobs.find(({ priority }) => priority === 'query') ?? jobs[0];
  const remove = (id: number): void => {
    const index = jobs.findIndex((job) => job.id === id);
    if (index >= 0) jobs.splice(index, 1);
  };
  return {
    add: (job) => jobs.push({ ...job, vectors: [], tokens: [] }),
    remove,
    get isEmpty() {
      return jobs.length === 0;
    },
    step() {
      const job = next();
      if (job === undefined) return undefined;
      const pass = takePass(job, tokenizer);
      job.vectors.push(...encoder.encode(pass.map(({ ids }) => ids)));
      job.tokens.push(...pass);
      if (job.vectors.length < job.texts.length) return undefined;
      remove(job.id);
      return { id: job.id, result: toResult(job) };
    },
  };
}
