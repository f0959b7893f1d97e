import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { recordOutcome } from '../lifecycle/outcome.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, plainObject, scopeInputs, sessionInput } from './shared-schemas.ts';
import { toAnswerFields } from './wire.ts';

const input = z.strictObject({
  id: z.string().min(1).max(64),
  verdict: z.enum(['worked', 'failed', 'not_applicable', 'obsolete', 'reopen']),
  recall_id: z.string().max(64).optional(),
  replaced_by: z.string().max(64).optional().describe('With obsolete: id that is true instead'),
  note: z.string().max(500).optional(),
  event_id: z.string().max(128).optional().describe('Same id, same answer'),
  ...scopeInputs,
  ...sessionInput,
});

const output = z.object({
  id: z.string().optional(),
  state: z.string().optional(),
  outcomes: plainObject.optional(),
  suspect: z.boolean().optional(),
  superseded_by: z.string().optional(),
  replayed: z.boolean().optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Says whether a recalled entry helped. */
export const memoryOutcome = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'memory_outcome',
  title: 'Report an outcome',
  description:
    'Reports whether a recalled finding helped, so that later recalls rank it right. Counted once per session. obsolete hides an entry that no longer holds; reopen undoes that.',
  input,
  output,
  effects: WRITES,
  limits: { inputBytes: 16_384, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: given }) {
    const { recall_id: recallId, replaced_by: replacedBy, event_id: eventId, ...rest } = given;
    const answer = await recordOutcome(deps.memory, context, { ...rest, recallId, replacedBy, eventId });
    return {
      structured: {
        status: answer.status,
        id: answer.id,
        state: answer.state,
        outcomes: { worked: answer.worked, failed: answer.failed },
        suspect: answer.suspect,
        ...(answer.supersededBy === undefined ? {} : { superseded_by: answer.supersededBy }),
        ...(answer.replayed ? { replayed: true } : {}),
        ...toAnswerFields(answer),
      },
    };
  },
});
