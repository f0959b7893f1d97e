import { type Draft, draftOfContent, draftOfErrorFix, toErrorFixRecord } from '../draft.ts';
import type { EntryKind, RevisionFields } from '../model.ts';

/** The draft that a stored text would be if it came in again: the same hashes and the same home. */
export function draftOfStored(kind: EntryKind, text: string, fields: RevisionFields): Draft {
  const { tags, files, context, insight, action } = fields;
  const labels = { ...(tags === undefined ? {} : { tags }), ...(files === undefined ? {} : { files }) };
  if (kind === 'error_fix') return draftOfErrorFix(toErrorFixRecord(text, fields), labels);
  return draftOfContent(text, labels, {
    ...(context === undefined ? {} : { context }),
    ...(insight === undefined ? {} : { insight }),
    ...(action === undefined ? {} : { action }),
  });
}

/** Whether two hashes are the same bytes. */
export function equalHashes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
