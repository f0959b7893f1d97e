import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { forget } from '../lifecycle/forget.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject, scopeInputs, wholeNumber } from './shared-schemas.ts';
import { toAnswerFields } from './wire.ts';

const input = z.strictObject({
  ids: z.array(z.string().max(64)).min(1).max(100).optional(),
  source_path: z.string().min(1).max(512).optional().describe('Instead of ids: all from this document'),
  mode: z.enum(['retract', 'erase']).describe('retract hides; erase removes the text for good'),
  confirm_count: wholeNumber(1, 500).optional().describe('To erase several: their number'),
  reason: z.string().max(300).optional(),
  dry_run: z.boolean().optional(),
  ...scopeInputs,
});

const output = z.object({
  retracted: z.array(z.string()).optional(),
  erased: z.array(z.string()).optional(),
  backups_rewritten: z.number().optional(),
  log_pending: z.boolean().optional(),
  missing: z.array(z.string()).optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Hides or removes entries. */
export const memoryForget = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'memory_forget',
  title: 'Forget memory entries',
  description:
    'Hides entries everywhere (retract; a person can restore them for 30 days) or removes their text from store and backups (erase). Only when the user asks; for outdated entries use memory_outcome obsolete.',
  input,
  output,
  effects: { ...WRITES, destructive: true, idempotent: true },
  limits: { inputBytes: 16_384, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: given }) {
    const { source_path: sourcePath, confirm_count: confirmCount, dry_run: dryRun, ...rest } = given;
    const answer = await forget(deps.memory, context, { ...rest, sourcePath, confirmCount, dryRun });
    return {
      structured: {
        status: answer.status,
        retracted: [...answer.retracted],
        erased: [...answer.erased],
        backups_rewritten: answer.backupsRewritten,
        ...(answer.logPending ? { log_pending: true } : {}),
        missing: [...answer.missing],
        ...toAnswerFields(answer),
      },
    };
  },
});
