import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { getEntries } from '../lifecycle/get.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { READS } from './effects.ts';
import {
  ANSWER_CHARS,
  answerOutputs,
  entryKind,
  entryType,
  plainObject,
  scopeInputs,
  wholeNumber,
} from './shared-schemas.ts';
import { readTime, toAnswerFields } from './wire.ts';

const input = z.strictObject({
  ids: z.array(z.string().max(64)).min(1).max(50).optional(),
  kind: entryKind.optional(),
  type: entryType.optional(),
  state: z.enum(['active', 'quarantined', 'closed', 'superseded']).optional(),
  source: z.string().max(40).optional().describe('Event source such as review'),
  tag: z.string().max(40).optional(),
  path: z.string().max(512).optional().describe('File or folder in the project'),
  since: z.string().max(40).optional().describe('Created from this ISO 8601 time'),
  until: z.string().max(40).optional().describe('Created before'),
  queue: z.enum(['pending', 'quarantined', 'near_duplicates', 'conflicts', 'never_recalled', 'suspect']).optional(),
  detail: z.enum(['summary', 'full', 'history']).optional().describe('Default summary'),
  order: z.enum(['newest', 'oldest', 'most_recalled']).optional(),
  limit: wholeNumber(1, 100).optional().describe('Default 20'),
  cursor: z.string().max(256).optional().describe('next_cursor of the last answer'),
  ...scopeInputs,
});

const output = z.object({
  entries: z.array(plainObject).optional(),
  missing: z.array(z.string()).optional(),
  total: z.number().optional(),
  next_cursor: z.string().optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Reads entries without a search. */
export const memoryGet = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'memory_get',
  title: 'Read memory entries',
  description:
    'Reads memory entries by id, by filters or from a review queue; content is escaped reference data. Use memory_recall to search. A long text goes on behind next_cursor.',
  input,
  output,
  effects: READS,
  limits: { inputBytes: 16_384, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: given }) {
    const answer = await getEntries(deps.memory, context, {
      ...given,
      since: readTime(given.since, 'since'),
      until: readTime(given.until, 'until'),
      form: 'escaped',
    });
    return {
      structured: {
        status: 'ok',
        entries: answer.entries.map((entry) => ({ ...entry })),
        missing: [...answer.missing],
        total: answer.total,
        ...(answer.nextCursor === undefined ? {} : { next_cursor: answer.nextCursor }),
        ...toAnswerFields(answer),
      },
    };
  },
});
