import { z } from 'zod';

/** An object whose members are told by the reference page, not by the schema: each listed member costs every session bytes. */
export const plainObject = z.record(z.string(), z.unknown());

/** A whole number within bounds; digits in a string are read as the number that they are, and nothing else is. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
}

/** Whose entries; on every `memory_*` tool. */
export const scopeInputs = {
  project: z.string().max(1_024).optional().describe('One of scope.candidates'),
  scope: z.enum(['project', 'user']).optional(),
};

export const sessionInput = { session: z.string().max(128).optional().describe('Host session id') };

export const entryType = z.enum(['decision', 'context', 'project', 'code', 'general']);
export const entryKind = z.enum(['learning', 'error_fix']);

/** What every answer says of itself. */
export const answerOutputs = {
  status: z.string().optional(),
  scope: plainObject.optional(),
  warnings: z.array(z.string()).optional(),
  took_ms: z.number().optional(),
};

/** Characters of one answer. */
export const ANSWER_CHARS = 24_000;
