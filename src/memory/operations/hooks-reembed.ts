import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { reembed } from '../vectors/reembed.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject, wholeNumber } from './shared-schemas.ts';

const input = z.strictObject({
  dry_run: z.boolean().default(false),
  wait_ms: wholeNumber(0, 60_000).default(0).describe('Wait this long for the end; default 0'),
});

const output = z.object({
  success: z.boolean(),
  space: z.string().optional(),
  total: z.number(),
  done: z.number(),
  waiting: z.number(),
  failed: z.array(z.string()),
  eta_ms: z.number(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Ids of failures that one answer lists. */
const MAX_FAILED = 100;

/** Brings vectors up to the present model. */
export const hooksReembed = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'hooks_reembed',
  title: 'Embed again',
  description:
    'Makes missing or outdated vectors in the background after a model change. Texts are untouched and recall goes on.',
  input,
  output,
  effects: { ...WRITES, idempotent: true },
  limits: { inputBytes: 1_024, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: { dry_run: dryRun, wait_ms: waitMs } }) {
    const answer = await reembed(deps.memory, context, { dryRun, waitMs });
    const failed = answer.status === 'failed';
    return {
      structured: {
        success: !failed,
        status: answer.status,
        ...(answer.space === undefined ? {} : { space: answer.space }),
        total: answer.total,
        done: answer.done,
        waiting: answer.waiting,
        failed: answer.failed.slice(0, MAX_FAILED),
        eta_ms: answer.etaMs,
        ...(answer.error === undefined ? {} : { error: { ...answer.error } }),
        scope: { ...answer.scope },
        warnings: [...answer.warnings],
      },
      isError: failed,
    };
  },
});
