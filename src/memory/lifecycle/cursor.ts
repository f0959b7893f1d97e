import { CairnError } from '../../kernel/index.ts';
import type { Place } from './selection.ts';

/** Where the next page begins: after a place in an order, or at an index of a list; `from` inside a cut content. */
export interface Cursor {
  readonly after?: Place;
  readonly index?: number;
  readonly from?: number;
}

/** Opaque to callers; without characters that an argument would have to escape. */
export function encodeCursor({ after, index, from }: Cursor): string {
  return Buffer.from(JSON.stringify([after?.value ?? null, after?.key ?? null, index ?? null, from ?? null])).toString(
    'base64url',
  );
}

/** Throws `invalid_input` for what is no cursor. */
export function decodeCursor(text: string): Cursor {
  const parts = parse(text);
  const isNumber = (part: unknown): part is number => Number.isSafeInteger(part) && (part as number) >= 0;
  if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => part === null || isNumber(part))) {
    throw new CairnError('invalid_input', 'cursor is not one that an earlier answer gave as next_cursor.', {
      field: 'cursor',
    });
  }
  const [value, key, index, from] = parts as (number | null)[];
  return {
    ...(typeof value === 'number' && typeof key === 'number' ? { after: { value, key } } : {}),
    ...(typeof index === 'number' ? { index } : {}),
    ...(typeof from === 'number' ? { from } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    // Not ours; the caller is told so.
    return undefined;
  }
}
