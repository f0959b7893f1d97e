import { CairnError, type ErrorCode, type ErrorShape, type Repair } from '../../kernel/index.ts';
import { escapeMarkup } from '../../text/index.ts';
import type { Answered } from '../lifecycle/change.ts';

/** Times on the wire are ISO 8601. */
export function toIso(at: number): string {
  return new Date(at).toISOString();
}

/** The common part of an answer, in wire names. */
export function toAnswerFields({ scope, warnings, tookMs }: Answered): {
  scope: Record<string, unknown>;
  warnings: string[];
  took_ms: number;
} {
  return { scope: { ...scope }, warnings: warnings.map(escapeMarkup), took_ms: tookMs };
}

/** Fails where a time is no ISO 8601 date; milliseconds UTC. */
export function readTime(text: string | undefined, field: string): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new CairnError('invalid_input', `${field} must be a date such as 2026-01-31 or 2026-01-31T08:05:00Z.`, {
      field,
    });
  }
  return at;
}

/** A refusal that a service answered as a status, in the one error shape. */
export function toErrorOf(result: {
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly field?: string;
  readonly repair?: Repair;
}): ErrorShape {
  return new CairnError(result.code ?? 'internal', result.message ?? 'The call was refused.', {
    ...(result.field === undefined ? {} : { field: result.field }),
    ...(result.repair === undefined ? {} : { repair: result.repair }),
  }).toShape();
}
