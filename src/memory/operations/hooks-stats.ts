import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { readStats } from '../lifecycle/stats.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { READS } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject } from './shared-schemas.ts';
import { toIso } from './wire.ts';

const input = z.strictObject({});

const output = z.object({
  success: z.boolean(),
  stats: plainObject,
  intel_path: z.string(),
  by_kind: plainObject,
  by_type: plainObject,
  by_state: plainObject,
  pending: z.number(),
  vectors: plainObject,
  last_write_at: z.string().optional(),
  last_error: z.string().optional(),
  schema_version: z.number().optional(),
  bytes: z.number(),
  ...answerOutputs,
});

/** Counts, with the names that older consumers look for. */
export const hooksStats = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'hooks_stats',
  title: 'Memory statistics',
  description: 'Counts what project memory holds and says where its file is (intel_path). Creates nothing.',
  input,
  output,
  effects: READS,
  limits: { inputBytes: 1_024, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context }) {
    const answer = await readStats(deps.memory, context);
    return {
      structured: {
        success: true,
        stats: {
          total_memories: answer.total,
          totalMemories: answer.total,
          total_errors: answer.errors,
          total_patterns: 0,
          total_trajectories: 0,
          embeddingDim: answer.embeddingDim,
          embedderKind: answer.embedderKind,
        },
        intel_path: answer.storePath,
        by_kind: { ...answer.byKind },
        by_type: { ...answer.byType },
        by_state: { ...answer.byState },
        pending: answer.pending,
        vectors: { ...answer.vectors },
        ...(answer.lastWriteAt === undefined ? {} : { last_write_at: toIso(answer.lastWriteAt) }),
        ...(answer.lastError === undefined ? {} : { last_error: answer.lastError }),
        ...(answer.schemaVersion === undefined ? {} : { schema_version: answer.schemaVersion }),
        bytes: answer.bytes,
        scope: { ...answer.scope },
        warnings: [...answer.warnings],
        took_ms: answer.tookMs,
      },
    };
  },
});
