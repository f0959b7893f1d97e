import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import { cairnNotice, REMEMBER_STATUSES } from '../../protocol/index.ts';
import { escapeMarkup } from '../../text/index.ts';
import { type RememberAnswer, remember } from '../remember/remember.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { WRITES } from './effects.ts';
import { ANSWER_CHARS, answerOutputs, entryType, plainObject, scopeInputs, sessionInput } from './shared-schemas.ts';
import { toErrorOf, toIso } from './wire.ts';

const part = () => z.string().max(2_500).optional();

const input = z.strictObject({
  source: z
    .string()
    .max(40)
    .optional()
    .describe(
      'review, session_review, ci, debt, browser_test, work, compound, brainstorm, plan, spec, research, delegation, manual, debug',
    ),
  signal: z.string().max(40).optional().describe('p1, root_cause, insight, verified…'),
  interactive: z.boolean().optional().describe('A person can be asked now'),
  context: part().describe('What and where'),
  insight: part().describe('Why'),
  action: part().describe('What to do next time'),
  content: z.string().max(8_000).optional().describe('Instead of the three'),
  error: z.string().max(20_000).optional().describe('Message or log; its signature is kept'),
  fix: z.string().max(4_000).optional(),
  source_path: z.string().max(512).optional().describe('Solution document'),
  summary: z.string().max(300).optional(),
  type: entryType.optional(),
  tags: z.array(z.string().max(40)).max(20).optional(),
  files: z.array(z.string().max(512)).max(50).optional(),
  event_id: z.string().max(128).optional().describe('Same id, same answer, for 30 days'),
  supersedes: z.array(z.string().max(64)).max(10).optional().describe('Ids that this corrects'),
  force: z.boolean().optional().describe('Store despite a near-duplicate'),
  dry_run: z.boolean().optional(),
  ...scopeInputs,
  ...sessionInput,
});

const output = z.object({
  id: z.string().optional(),
  type: z.string().optional(),
  tier: z.string().optional(),
  tier_rule: z.string().optional(),
  gates: plainObject.optional(),
  dedup: plainObject.optional(),
  redactions: z.array(plainObject).optional(),
  duplicate_of: z.string().optional(),
  conflicts_with: z.array(z.string()).optional(),
  alternatives: z.array(z.string()).optional(),
  more: z.array(plainObject).optional(),
  token: z.string().optional(),
  expires_at: z.string().optional(),
  preview: z.string().optional(),
  question: z.string().optional(),
  confirm: plainObject.optional(),
  replayed: z.boolean().optional(),
  total: z.number().optional(),
  attempts: z.number().optional(),
  notice: z.string().optional(),
  repair: plainObject.optional(),
  error: plainObject.optional(),
  ...answerOutputs,
});

function optional<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

function toOutput(answer: RememberAnswer): z.input<typeof output> {
  const failed = REMEMBER_STATUSES[answer.status].isError;
  const { token } = answer;
  return {
    status: answer.status,
    ...optional('id', answer.id),
    ...optional('type', answer.type),
    ...optional('tier', answer.tier),
    ...optional('tier_rule', answer.tierRule),
    ...(answer.gates === undefined ? {} : { gates: { ...answer.gates, missing: [...answer.gates.missing] } }),
    ...(answer.dedup === undefined ? {} : { dedup: { ...answer.dedup } }),
    redactions: answer.redactions.map((redaction) => ({ ...redaction })),
    ...optional('duplicate_of', answer.duplicateOf),
    ...(answer.conflictsWith === undefined ? {} : { conflicts_with: [...answer.conflictsWith] }),
    ...(answer.alternatives === undefined ? {} : { alternatives: [...answer.alternatives] }),
    ...(answer.more === undefined ? {} : { more: answer.more.map((other) => ({ ...other })) }),
    ...optional('token', token),
    ...(answer.expiresAt === undefined ? {} : { expires_at: toIso(answer.expiresAt) }),
    ...(answer.preview === undefined ? {} : { preview: escapeMarkup(answer.preview) }),
    ...optional('question', answer.question),
    // The call that decides, ready to send but for the decision itself.
    ...(token === undefined ? {} : { confirm: { operation: 'memory_confirm', arguments: { token }, requests: 0 } }),
    ...optional('replayed', answer.replayed),
    ...optional('total', answer.total),
    attempts: answer.attempts,
    ...(answer.repair === undefined ? {} : { repair: { ...answer.repair } }),
    ...(answer.status === 'unavailable' ? { notice: cairnNotice('rememberFailed') } : {}),
    ...(failed ? { error: { ...toErrorOf(answer), retryable: false } } : {}),
    ...(answer.scope === undefined ? {} : { scope: { ...answer.scope.report } }),
    warnings: answer.warnings.map(escapeMarkup),
    took_ms: answer.tookMs,
  };
}

/** Stores what was learned, by the tier of its source. */
export const memoryRemember = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'memory_remember',
  title: 'Remember a learning',
  description:
    'Stores a learning (context, insight, action) or an error with its fix. Source and signal decide: stored, a question for the user (needs_confirmation, then memory_confirm) or skipped. Secrets are redacted, repeats merged.',
  input,
  output,
  effects: WRITES,
  limits: { inputBytes: 262_144, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context, input: given }) {
    const { source_path: sourcePath, event_id: eventId, dry_run: dryRun, ...rest } = given;
    const structured = toOutput(
      await remember(deps.memory, context, { door: 'memory', ...rest, sourcePath, eventId, dryRun }),
    );
    return { structured, isError: structured.error !== undefined };
  },
});
