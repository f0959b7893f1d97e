import type { EmbeddedText } from '../../embedding/index.ts';
import {
  extractQuery,
  findPrefix,
  parseErrorFix,
  parseLabelledParts,
  parsePrefix,
  WORKFLOWS,
  type Workflow,
  workflowOf,
} from '../../protocol/index.ts';
import { cleanText, latinShare, redactSecrets, type SignatureKeys, signatureKeys } from '../../text/index.ts';
import { type Draft, draftOfContent, draftOfErrorFix } from '../draft.ts';

/** A query as it is searched for. */
export interface RecallQuery {
  readonly workflow: Workflow;
  /** Whether the caller named the workflow, by argument, domain or prefix. */
  readonly isWorkflowGiven: boolean;
  /** What is tokenised and embedded: extracted for the workflow, without its prefix. */
  readonly text: string;
  /** The line that names the error, where the query is about one. */
  readonly signature?: string;
  /** Raw changes were reduced to their paths and names. */
  readonly reduced?: 'diff';
  /** About an error: the lower floor holds for error-fix entries, and signatures count. */
  readonly isError: boolean;
  /** The text of somebody about to store it: only being equal or nearly so may pass the duplicate threshold. */
  readonly isProbe: boolean;
  readonly signatureKeys?: SignatureKeys;
  /** The whole query as it would be stored: without its prefix, then with it. */
  readonly drafts: readonly Draft[];
  /** Files that the caller works on, project-relative. */
  readonly files: readonly string[];
}

/** What a caller may say. */
export interface QueryInput {
  readonly workflow?: string | undefined;
  /** A prefix of the protocol, without brackets. */
  readonly domain?: string | undefined;
  readonly text?: string | undefined;
  readonly error?: string | undefined;
  readonly title?: string | undefined;
  readonly files?: readonly string[] | undefined;
}

function clean(text: string | undefined): string | undefined {
  const cleaned = text === undefined ? '' : redactSecrets(cleanText(text).text).text.trim();
  return cleaned === '' ? undefined : cleaned;
}

function draftOf(text: string): Draft {
  const record = parseErrorFix(text).records[0];
  return record === undefined ? draftOfContent(text, {}) : draftOfErrorFix(record, {});
}

/** An `ERROR-FIX:` line, or a text with labelled context, insight and action. */
function isReadyToStore(text: string): boolean {
  if (parseErrorFix(text).records.length > 0) return true;
  const parts = parseLabelledParts(text);
  return parts.context !== undefined && parts.insight !== undefined && parts.action !== undefined;
}

/** A workflow that the caller names outranks the domain, which outranks a prefix of the text. Throws `invalid_input`. */
function chooseWorkflow(input: QueryInput, prefixed: Workflow | undefined): Workflow | undefined {
  if (input.workflow !== undefined) return workflowOf(input.workflow);
  const domain = input.domain === undefined ? undefined : findPrefix(input.domain.trim().replace(/^\[|\]$/g, ''));
  return domain === undefined ? prefixed : WORKFLOWS[domain.workflow];
}

/** Cleans, redacts, takes off the prefix, classifies and cuts, in this order. Nothing of it is kept. */
export function prepareQuery(input: QueryInput): RecallQuery {
  const whole = clean(input.text);
  const parsed = whole === undefined ? { text: '' } : parsePrefix(whole);
  const given = chooseWorkflow(input, parsed.workflow === undefined ? undefined : WORKFLOWS[parsed.workflow]);
  const error = clean(input.error);
  const title = clean(input.title);
  // A prefix says where a query comes from and changes nothing else: it is searched like any other text.
  const workflow = given ?? WORKFLOWS.other;
  const extracted = extractQuery({
    workflow,
    ...(parsed.text === '' ? {} : { text: parsed.text }),
    ...(error === undefined ? {} : { error }),
    ...(title === undefined ? {} : { title }),
    ...(input.files === undefined ? {} : { files: input.files }),
  });
  const wholes = [...new Set([parsed.text, whole, error])].filter(
    (text) => text !== undefined && text !== '',
  ) as string[];
  return {
    workflow,
    isWorkflowGiven: given !== undefined,
    text: extracted.text,
    ...(extracted.signature === undefined
      ? {}
      : { signature: extracted.signature, signatureKeys: signatureKeys(extracted.signature) }),
    ...(extracted.reduced === undefined ? {} : { reduced: extracted.reduced }),
    isError: extracted.isError,
    isProbe: isReadyToStore(parsed.text),
    drafts: wholes.map(draftOf),
    files: input.files ?? [],
  };
}

const MOSTLY = 0.8;

/** Whether a text is in a language that the model knows: at least four fifths of its letters are Latin. */
export function isLatin(text: string): boolean {
  return latinShare(text) >= MOSTLY;
}

/** Whether a query's vector says anything about it. */
export function isUsableVector(text: string, embedded: EmbeddedText): boolean {
  return embedded.unknownShare <= 1 - MOSTLY && isLatin(text);
}
