import type { z } from 'zod';
import { CairnError, countBytes, type Operation } from '../kernel/index.ts';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseUnknown(operation: Operation, given: Record<string, unknown>): void {
  const known = Object.keys(operation.input.shape);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const list = known.length === 0 ? 'It takes no arguments.' : `Known: ${known.join(', ')}.`;
  throw new CairnError(
    'invalid_input',
    `${operation.name} has no argument ${unknown.map((name) => `"${name}"`).join(', ')}. ${list}`,
    {
      field: unknown[0] ?? '',
    },
  );
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const where = issue.path.join('.');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}

/**
 * The arguments of a call as the operation's schema reads them: defaults filled in, coerced only where the schema says
 * so. Throws `too_large` over the operation's bytes and `invalid_input` for everything else, with the field at fault.
 */
export async function readArguments(operation: Operation, given: unknown): Promise<Record<string, unknown>> {
  const raw = given ?? {};
  if (!isRecord(raw)) throw new CairnError('invalid_input', `The arguments of ${operation.name} must be an object.`);
  const bytes = countBytes(JSON.stringify(raw));
  if (bytes > operation.limits.inputBytes) {
    throw new CairnError(
      'too_large',
      `The arguments of ${operation.name} are ${bytes} bytes; the limit is ${operation.limits.inputBytes}. Shorten them.`,
    );
  }
  refuseUnknown(operation, raw);
  const read = await operation.input.safeParseAsync(raw);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new CairnError(
    'invalid_input',
    `${operation.name}: ${read.error.issues.slice(0, 5).map(describeIssue).join('; ')}`,
    {
      ...(first === undefined ? {} : { field: first.path.join('.') }),
    },
  );
}
