import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { confirm } from '../lifecycle/confirm.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject, scopeInputs } from './shared-schemas.ts';
import { toAnswerFields } from './wire.ts';

const input = z.strictObject({
  token: z.string().min(1).max(128),
  decision: z.enum(['store', 'discard', 'supersede', 'merge']).describe('The last two answer near_duplicate'),
  edited_content: z.string().max(8_000).optional().describe('Corrected text to store instead'),
  confirmed_by: z.enum(['user', 'policy']).optional().describe('Default user'),
  ...scopeInputs,
});

const output = z.object({
  id: z.string().optional(),
  superseded: z.array(z.string()).optional(),
  similar: z.array(z.string()).optional(),
  total: z.number().optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Decides about a learning that waits. */
export const memoryConfirm = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'memory_confirm',
  title: 'Confirm a learning',
  description:
    'Carries out what the user decided about a pending learning: the token comes from memory_remember, or from memory_get with queue pending. Each token works once.',
  input,
  output,
  effects: { ...WRITES, idempotent: true },
  limits: { inputBytes: 65_536, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: given }) {
    const { edited_content: editedContent, confirmed_by: confirmedBy, ...rest } = given;
    const answer = await confirm(deps.memory, context, { ...rest, editedContent, confirmedBy });
    return {
      structured: {
        status: answer.status,
        ...(answer.id === undefined ? {} : { id: answer.id }),
        superseded: [...answer.superseded],
        similar: [...answer.similar],
        total: answer.total,
        ...toAnswerFields(answer),
      },
    };
  },
});
