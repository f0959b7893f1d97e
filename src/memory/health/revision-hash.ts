import { draftOfStored } from '../lifecycle/stored-draft.ts';
import type { RevisionFields } from '../model.ts';

/** Whether a revision is of an error-fix entry: only those have a signature and a fix. */
export function isErrorFix(fields: RevisionFields): boolean {
  return fields.signature !== undefined && fields.fix !== undefined;
}

/** The hash that a revision's text should have; undefined where its fields are no JSON. */
export function contentHashOfRevision(text: string, fieldsJson: string): Uint8Array | undefined {
  let fields: RevisionFields;
  try {
    fields = JSON.parse(fieldsJson) as RevisionFields;
  } catch {
    // Damaged in the fields themselves.
    return undefined;
  }
  return draftOfStored(isErrorFix(fields) ? 'error_fix' : 'learning', text, fields).contentHash;
}
