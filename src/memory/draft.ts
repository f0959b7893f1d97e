import { sha256 } from '../kernel/index.ts';
import { type ErrorFixRecord, renderErrorFix } from '../protocol/index.ts';
import { normaliseForIdentity, pickSignature, signatureKeys } from '../text/index.ts';
import type { EntryKind, Range, RevisionFields } from './model.ts';

/** What would be stored: text, where its parts are, and the hash that says whether it has been stored before. */
export interface Draft {
  readonly kind: EntryKind;
  readonly text: string;
  readonly fields: RevisionFields;
  /** 16 bytes; equal hash means equal statement (case and spacing aside). */
  readonly contentHash: Uint8Array;
  /** Present for an error-fix entry: its exact signature key. */
  readonly signatureKey?: string;
  /** Present where the text has a home: a document path and, for an error, its signature. */
  readonly sourceKey?: string;
}

export interface LearningParts {
  readonly context?: string;
  readonly insight?: string;
  readonly action?: string;
}

interface Labels {
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
}

/** 128 bits are enough to tell all texts of a store apart and cost half of a full SHA-256. */
export function contentHash(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(sha256(text), 'hex').subarray(0, 16));
}

/** Joins parts with line breaks and remembers where each one stands. */
class TextBuilder {
  text = '';
  add(part: string, label = ''): Range {
    if (this.text !== '') this.text += '\n';
    this.text += label;
    const start = this.text.length;
    this.text += part;
    return [start, this.text.length];
  }
}

function labelsOf({ tags, files }: Labels): Pick<RevisionFields, 'tags' | 'files'> {
  return {
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(files === undefined || files.length === 0 ? {} : { files }),
  };
}

/** A learning as free text. */
export function draftOfContent(
  text: string,
  labels: Labels,
  parts: Pick<RevisionFields, 'context' | 'insight' | 'action'> = {},
): Draft {
  return {
    kind: 'learning',
    text,
    fields: { ...parts, ...labelsOf(labels) },
    contentHash: contentHash(normaliseForIdentity(text)),
  };
}

/** A learning from its three parts, labelled so that a reader sees which is which. */
export function draftOfParts(parts: LearningParts, labels: Labels): Draft {
  const builder = new TextBuilder();
  const context = parts.context === undefined ? undefined : builder.add(parts.context, 'Context: ');
  const insight = parts.insight === undefined ? undefined : builder.add(parts.insight, 'Insight: ');
  const action = parts.action === undefined ? undefined : builder.add(parts.action, 'Action: ');
  return draftOfContent(builder.text, labels, {
    ...(context === undefined ? {} : { context }),
    ...(insight === undefined ? {} : { insight }),
    ...(action === undefined ? {} : { action }),
  });
}

/** The exact key of a signature as an entry stores it. */
function exactSignatureKey(signature: string): string {
  return signatureKeys(pickSignature(signature)?.display ?? signature).exact;
}

/** An error-fix entry. The signature comes first: a short error query meets the front of the text. */
export function draftOfErrorFix(record: ErrorFixRecord, labels: Labels): Draft {
  const builder = new TextBuilder();
  const signature = builder.add(record.signature);
  const fix = builder.add(record.fix);
  const sourcePath = record.sourcePath === undefined ? undefined : builder.add(record.sourcePath);
  const summary = record.summary === undefined ? undefined : builder.add(record.summary);
  const signatureKey = exactSignatureKey(record.signature);
  return {
    kind: 'error_fix',
    text: builder.text,
    fields: {
      signature,
      fix,
      ...(sourcePath === undefined ? {} : { sourcePath }),
      ...(summary === undefined ? {} : { summary }),
      ...labelsOf(labels),
    },
    contentHash: contentHash(`${signatureKey}\n${normaliseForIdentity(record.fix)}`),
    signatureKey,
    ...(record.sourcePath === undefined ? {} : { sourceKey: `${record.sourcePath}#${signatureKey}` }),
  };
}

/** The typed record of an error-fix text and its fields. */
export function toErrorFixRecord(text: string, fields: RevisionFields): ErrorFixRecord {
  const part = (range: Range | undefined): string | undefined =>
    range === undefined ? undefined : text.slice(range[0], range[1]);
  const sourcePath = part(fields.sourcePath);
  const summary = part(fields.summary);
  return {
    signature: part(fields.signature) ?? '',
    fix: part(fields.fix) ?? '',
    ...(sourcePath === undefined ? {} : { sourcePath }),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** How an entry reads: a learning as it was written, an error-fix entry in its one-line form. */
export function displayText(kind: EntryKind, text: string, fields: RevisionFields): string {
  return kind === 'error_fix' ? renderErrorFix(toErrorFixRecord(text, fields)) : text;
}
