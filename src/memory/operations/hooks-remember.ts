import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { NEAR_DUPLICATE_REASON, NOTICES, REMEMBER_STATUSES } from '../../protocol/index.ts';
import { isEmbedded } from '../lifecycle/embedded.ts';
import { type RememberAnswer, remember } from '../remember/remember.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { answerOutputs, plainObject } from './shared-schemas.ts';
import { toErrorOf } from './wire.ts';

const input = z.strictObject({
  content: z.string().describe('The learning or ERROR-FIX line; at most 65,536 bytes'),
  type: z.string().default('general').describe('decision, context, project, code or general'),
  force: z.boolean().default(false).describe('Store despite a near-duplicate'),
});

const output = z.object({
  success: z.boolean(),
  stored: z.boolean(),
  total: z.number().optional(),
  engineStored: z.boolean().optional(),
  skipped: z.boolean().optional(),
  reason: z.string().optional(),
  token: z.string().optional(),
  id: z.string().optional(),
  duplicate_of: z.string().optional(),
  quality: plainObject.optional(),
  redactions: z.array(plainObject).optional(),
  notice: z.string().optional(),
  replayed: z.boolean().optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

/** Why nothing new was stored, in words that older consumers look for. */
function reasonOf(answer: RememberAnswer): string {
  switch (answer.status) {
    case 'near_duplicate':
      return NEAR_DUPLICATE_REASON;
    case 'merged':
      return 'identical entry exists';
    case 'rejected':
      return answer.code ?? 'rejected';
    default:
      return answer.status;
  }
}

function isWritten(answer: RememberAnswer): boolean {
  return answer.status === 'stored' || answer.status === 'updated';
}

function toOutput(answer: RememberAnswer): z.input<typeof output> {
  const failed = REMEMBER_STATUSES[answer.status].isError;
  const stored = isWritten(answer);
  const memory = answer.scope?.memory;
  return {
    success: !failed,
    stored,
    ...(answer.total === undefined ? {} : { total: answer.total }),
    engineStored: stored && answer.id !== undefined && memory !== undefined && isEmbedded(memory, answer.id),
    ...(stored ? {} : { skipped: true, reason: reasonOf(answer) }),
    status: answer.status,
    ...(answer.id === undefined ? {} : { id: answer.id }),
    ...(answer.token === undefined ? {} : { token: answer.token }),
    ...(answer.duplicateOf === undefined ? {} : { duplicate_of: answer.duplicateOf }),
    ...(answer.gates === undefined
      ? {}
      : { quality: { passed: answer.gates.passed, missing: [...answer.gates.missing] } }),
    redactions: answer.redactions.map((redaction) => ({ ...redaction })),
    warnings: [...answer.warnings],
    ...(answer.status === 'unavailable' ? { notice: NOTICES.rememberFailed } : {}),
    ...(failed ? { error: { ...toErrorOf(answer), retryable: false } } : {}),
    ...(answer.scope === undefined ? {} : { scope: { ...answer.scope.report } }),
    took_ms: answer.tookMs,
  };
}

/** The old tool's way to store a text: gates warn, safety refuses, repeats are merged. */
export const hooksRemember = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'hooks_remember',
  title: 'Remember (drop-in)',
  description:
    'Stores a learning in project memory, flushed to disk. Repeats are merged or skipped as near-duplicates; secrets are redacted. Prefer memory_remember in new code.',
  input,
  output,
  effects: WRITES,
  limits: { inputBytes: 400_000, outputChars: 24_000, requests: 0 },
  async run({ deps, context, input: { content, type, force } }) {
    const answer = await remember(deps.memory, context, { door: 'hooks', content, type, force });
    const structured = toOutput(answer);
    return { structured, isError: !structured.success };
  },
});
