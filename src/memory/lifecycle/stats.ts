import { statSync } from 'node:fs';
import type { RequestContext } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { listPending } from '../remember/pending.ts';
import type { MemoryRuntime, OpenMemory, ScopeRequest } from '../runtime.ts';
import { activeSpace } from '../store/vectors.ts';
import { coverageOf } from '../vectors/spaces.ts';
import { type Answered, startTimer } from './change.ts';

export interface StatsAnswer extends Answered {
  /** Entries that recall can find. */
  readonly total: number;
  /** Error-fix entries among them. */
  readonly errors: number;
  /** Active entries by kind and by type; all entries by state. */
  readonly byKind: Readonly<Record<string, number>>;
  readonly byType: Readonly<Record<string, number>>;
  readonly byState: Readonly<Record<string, number>>;
  /** Questions that wait for a decision. */
  readonly pending: number;
  /** Passages with and without a vector in the space that is searched; `space` is absent where there is none. */
  readonly vectors: { readonly space?: string; readonly done: number; readonly waiting: number };
  /** 0 in lexical mode. */
  readonly embeddingDim: number;
  readonly embedderKind: 'onnx-minilm' | 'lexical' | 'other';
  /** Absolute path of the store file, which may not exist yet. */
  readonly storePath: string;
  readonly lastWriteAt?: number;
  /** Code of a fault that lasts, such as `embedder_failed`. */
  readonly lastError?: string;
  /** Absent where there is no store. */
  readonly schemaVersion?: number;
  /** Of the store file and its log. */
  readonly bytes: number;
}

/** Counts what there is. Creates and changes nothing. Throws `no_project` and what opening a store can throw. */
export async function readStats(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest = {},
): Promise<StatsAnswer> {
  const elapsed = startTimer(runtime);
  const scope = await runtime.forRead(context, request);
  const storePath = scope.report.store_path;
  const space = scope.embedder?.space();
  const lastError = lastErrorOf(scope.embedder?.state());
  return {
    ...countEntries(scope.memory, runtime.deps.clock.now()),
    embeddingDim: space?.parts.dimension ?? 0,
    embedderKind: kindOf(space?.parts.model),
    storePath,
    ...(lastError === undefined ? {} : { lastError }),
    bytes: sizeOf(storePath) + sizeOf(`${storePath}-wal`),
    scope: scope.report,
    warnings: scope.warnings,
    tookMs: elapsed(),
  };
}

/** The name that older consumers know the default model by. */
function kindOf(model: string | undefined): StatsAnswer['embedderKind'] {
  if (model === undefined) return 'lexical';
  return /minilm/i.test(model) ? 'onnx-minilm' : 'other';
}

function lastErrorOf(state: string | undefined): string | undefined {
  return state === 'failed' || state === 'damaged' ? `embedder_${state}` : undefined;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type Counts = Pick<
  StatsAnswer,
  'total' | 'errors' | 'byKind' | 'byType' | 'byState' | 'pending' | 'vectors' | 'lastWriteAt' | 'schemaVersion'
>;

function countEntries(memory: OpenMemory | undefined, now: number): Counts {
  if (memory === undefined) {
    return { total: 0, errors: 0, byKind: {}, byType: {}, byState: {}, pending: 0, vectors: { done: 0, waiting: 0 } };
  }
  return memory.store.read((db) => {
    const byKind = groupBy(db, "SELECT kind AS name, COUNT(*) AS n FROM entry WHERE state = 'active' GROUP BY kind");
    const lastWriteAt = db.get<{ at: number | null }>('SELECT MAX(at) AS at FROM event')?.at ?? undefined;
    return {
      total: Object.values(byKind).reduce((sum, n) => sum + n, 0),
      errors: byKind['error_fix'] ?? 0,
      byKind,
      byType: groupBy(db, "SELECT type AS name, COUNT(*) AS n FROM entry WHERE state = 'active' GROUP BY type"),
      byState: groupBy(db, 'SELECT state AS name, COUNT(*) AS n FROM entry GROUP BY state'),
      pending: listPending(db, now).length,
      vectors: countVectors(db),
      ...(lastWriteAt === undefined ? {} : { lastWriteAt }),
      schemaVersion: memory.store.schemaVersion,
    };
  });
}

function groupBy(db: Database, sql: string): Record<string, number> {
  return Object.fromEntries(db.all<{ name: string; n: number }>(sql).map(({ name, n }) => [name, n]));
}

function countVectors(db: Database): Counts['vectors'] {
  const space = activeSpace(db);
  const { done, waiting } = coverageOf(db, space?.key);
  return { ...(space === undefined ? {} : { space: space.fingerprint }), done, waiting };
}
