import { z } from 'zod';
import { defineOperation, type Repair } from '../../kernel/index.ts';
import { RECALL_STATUSES } from '../../protocol/index.ts';
import { recall } from '../recall/recall.ts';
import type { RecallAnswer, RecallResult } from '../recall/request.ts';
import { safeText } from '../safe-text.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { READS } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject, wholeNumber } from './shared-schemas.ts';
import { toErrorOf, toIso } from './wire.ts';

const input = z.strictObject({
  query: z.string().min(1).max(20_000).describe('What to look for; a [prefix] is allowed'),
  top_k: wholeNumber(1, 50).default(5).describe('Default 5'),
});

const output = z.object({
  success: z.boolean(),
  query: z.string(),
  results: z.array(plainObject),
  reason: z.string().optional(),
  mode: z.string(),
  degraded: plainObject.optional(),
  above_floor: z.number(),
  filtered_count: z.number(),
  near_miss: plainObject.optional(),
  floors: plainObject,
  block: z.string(),
  recall_id: z.string(),
  attempts: z.number(),
  notice: z.string().optional(),
  repair: plainObject.optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

function toResult(result: RecallResult): Record<string, unknown> {
  return {
    content: result.content,
    type: result.type,
    score: result.score,
    created: toIso(result.createdAt),
    engineResult: result.hasVector,
    id: result.id,
    kind: result.kind,
    floor: result.floor,
    passes_floor: result.passesFloor,
    trust: result.trust,
    match: result.match,
    ...(result.contentChars === undefined ? {} : { truncated: true, content_chars: result.contentChars }),
  };
}

/** What is cut here is whole there. */
function repairOf(answer: RecallAnswer): Repair | undefined {
  if (answer.repair !== undefined) return answer.repair;
  const cut = answer.results.filter(({ contentChars }) => contentChars !== undefined).map(({ id }) => id);
  if (cut.length === 0) return undefined;
  return {
    operation: 'memory_get',
    arguments: { ids: cut, detail: 'full' },
    requests: 0,
    note: 'gives the whole texts',
  };
}

/** A long query is told back by its beginning, without its secrets: its caller has the rest. */
const MAX_QUERY_SHOWN = 2_000;

function toOutput(query: string, answer: RecallAnswer): z.input<typeof output> {
  const { isError } = RECALL_STATUSES[answer.status];
  const repair = repairOf(answer);
  return {
    success: !isError,
    query: safeText(query).slice(0, MAX_QUERY_SHOWN),
    results: answer.results.map(toResult),
    status: answer.status,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    mode: answer.mode,
    ...(answer.degraded === undefined ? {} : { degraded: { ...answer.degraded } }),
    above_floor: answer.aboveFloor,
    filtered_count: answer.filteredCount,
    ...(answer.nearMiss === undefined ? {} : { near_miss: { ...answer.nearMiss } }),
    floors: { ...answer.floors },
    block: answer.block,
    recall_id: answer.recallId,
    attempts: answer.attempts,
    ...(answer.notice === undefined ? {} : { notice: answer.notice }),
    ...(repair === undefined ? {} : { repair: { ...repair } }),
    ...(answer.code === undefined ? {} : { error: { ...toErrorOf(answer), retryable: false } }),
    ...(answer.scope === undefined ? {} : { scope: { ...answer.scope } }),
    warnings: [...answer.warnings],
    took_ms: answer.tookMs,
  };
}

/** The old tool's search: by score, without a floor. */
export const hooksRecall = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'hooks_recall',
  title: 'Recall (drop-in)',
  description:
    'Searches project memory and gives results by score (0 to 1) with no floor applied; passes_floor says which are relevant. Prefer memory_recall in new code.',
  input,
  output,
  effects: READS,
  limits: { inputBytes: 131_072, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: { query, top_k: topK } }) {
    const structured = toOutput(query, await recall(deps.memory, context, { door: 'hooks', text: query, topK }));
    return { structured, isError: !structured.success };
  },
});
