import { cleanText, redactSecrets } from '../../text/index.ts';
import type { Range, RevisionFields } from '../model.ts';

/** A revision as it may leave or enter the store, with what was taken out. */
export interface CleanRevision {
  readonly text: string;
  readonly fields: RevisionFields;
  readonly removed: number;
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
  /** Text or fields differ from what was given. */
  readonly isChanged: boolean;
}

const PARTS = ['context', 'insight', 'action', 'signature', 'fix', 'sourcePath', 'summary'] as const;
type Part = (typeof PARTS)[number];

/** Cleans and redacts strings, and counts over all of them. */
export class TextCleaner {
  removed = 0;
  readonly #redactions = new Map<string, number>();

  clean(text: string): string {
    const cleaned = cleanText(text);
    this.removed += cleaned.removed;
    const redacted = redactSecrets(cleaned.text);
    for (const { kind, count } of redacted.redactions) {
      this.#redactions.set(kind, (this.#redactions.get(kind) ?? 0) + count);
    }
    return redacted.text;
  }

  get redactions(): { kind: string; count: number }[] {
    return [...this.#redactions].map(([kind, count]) => ({ kind, count }));
  }
}

/** Whether a value is a half-open range inside a text of this length. */
function isRange(value: unknown, length: number): value is Range {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [start, end] = value as [unknown, unknown];
  return (
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    0 <= Number(start) &&
    Number(start) <= Number(end) &&
    Number(end) <= length
  );
}

/**
 * Cleans a revision piece by piece: the text is cut where its parts begin and end, each piece is cleaned, and the parts
 * are found again in the new text. Rows from before a rule existed are treated like this on their way out, and rows of
 * any file on their way in. Parts that do not fit the text, or overlap so that they have no order, are left out.
 */
export function cleanRevision(text: string, fields: RevisionFields): CleanRevision {
  const cleaner = new TextCleaner();
  const ranges = PARTS.flatMap((part): [Part, Range][] => {
    const range = fields[part];
    return isRange(range, text.length) ? [[part, range]] : [];
  });
  const cuts = [...new Set([0, text.length, ...ranges.flatMap(([, range]) => [...range])])].sort((a, b) => a - b);
  const moved = new Map<number, number>([[0, 0]]);
  let clean = '';
  for (let i = 1; i < cuts.length; i++) {
    clean += cleaner.clean(text.slice(cuts[i - 1] ?? 0, cuts[i] ?? 0));
    moved.set(cuts[i] ?? 0, clean.length);
  }
  // A secret may stand across a cut; then the text is taken as a whole, and its parts are given up.
  const whole = cleaner.clean(clean);
  const isCrossing = whole !== clean;
  const kept: RevisionFields = {
    ...Object.fromEntries(
      isCrossing
        ? []
        : ranges.map(([part, [start, end]]) => [part, [moved.get(start) ?? 0, moved.get(end) ?? 0] as const]),
    ),
    ...labels('tags', fields.tags, cleaner),
    ...labels('files', fields.files, cleaner),
  };
  const isChanged = whole !== text || JSON.stringify(kept) !== JSON.stringify(fields);
  return { text: whole, fields: kept, removed: cleaner.removed, redactions: cleaner.redactions, isChanged };
}

function labels(name: 'tags' | 'files', values: unknown, cleaner: TextCleaner): Partial<RevisionFields> {
  if (!Array.isArray(values)) return {};
  const texts = values
    .filter((value): value is string => typeof value === 'string')
    .map((value) => cleaner.clean(value).trim());
  const kept = texts.filter((value) => value !== '');
  return kept.length === 0 ? {} : { [name]: kept };
}
