import { hasLetterOrDigit } from '../unicode.ts';
import { findAwsSecrets, findPrivateKeys, findProviderKeys } from './find-keys.ts';
import { findAuthorization, findNamedSecrets, findUrlPasswords } from './find-named.ts';
import type { SecretSpan } from './finding.ts';

/** How many secrets of one kind were taken out. */
export interface Redaction {
  readonly kind: string;
  readonly count: number;
}

export interface RedactedText {
  readonly text: string;
  readonly redactions: readonly Redaction[];
}

/** Secrets in order of position, without overlap: where two overlap the one that begins first stays, then the longer. */
function findSecrets(text: string): SecretSpan[] {
  const spans = [
    ...findPrivateKeys(text),
    ...findProviderKeys(text),
    ...findUrlPasswords(text),
    ...findAuthorization(text),
    ...findNamedSecrets(text),
    ...findAwsSecrets(text),
  ].sort((a, b) => a.start - b.start || b.end - a.end);
  let reached = 0;
  return spans.filter(({ start, end }) => {
    if (start < reached) return false;
    reached = end;
    return true;
  });
}

/**
 * Replaces secrets by `[redacted:<kind>]`: provider keys, private-key blocks, JWTs, passwords in URLs, `Authorization`
 * values, and values of high entropy under a secret-like name. UUIDs, digests, integrity strings, encoded text and
 * placeholders stay. A second pass changes nothing.
 */
export function redactSecrets(text: string): RedactedText {
  const counts = new Map<string, number>();
  let result = '';
  let at = 0;
  for (const { start, end, kind } of findSecrets(text)) {
    result += `${text.slice(at, start)}[redacted:${kind}]`;
    at = end;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return {
    text: at === 0 ? text : result + text.slice(at),
    redactions: Array.from(counts, ([kind, count]) => ({ kind, count })),
  };
}

const NAMING_WORDS =
  /\b(?:export|set|setx|const|let|var|env|my|the|is|https?|wss?|postgres(?:ql)?|mysql|mongodb|redis|amqp)\b/gi;

/** Whether a text is nothing but secrets and the names they are assigned to. */
export function isOnlySecret(text: string): boolean {
  const spans = findSecrets(text);
  if (spans.length === 0) return false;
  let rest = '';
  let at = 0;
  for (const { labelStart, end } of spans) {
    rest += text.slice(at, Math.max(at, labelStart));
    at = end;
  }
  rest += text.slice(at);
  return !hasLetterOrDigit(rest.replace(/\[redacted:[a-z0-9-]+\]/g, '').replace(NAMING_WORDS, ''));
}
