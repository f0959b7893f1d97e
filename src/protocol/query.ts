import { countChars } from '../kernel/index.ts';
import { cleanText, collapseWhitespace, cutAtWord, pickSignature, reduceDiff, type Signature } from '../text/index.ts';
import { baseNameOf, categoriseFile } from './file-categories.ts';
import { findOverview, stripFrontmatter } from './plan-text.ts';
import type { Workflow } from './workflows.ts';

/** What a caller gives to be searched with. */
export interface QuerySource {
  readonly workflow: Workflow;
  /** Pull request body, plan, arguments, scope or description. */
  readonly text?: string;
  /** Message, log tail or trace. */
  readonly error?: string;
  /** Title of a pull request, or name of the failed step. */
  readonly title?: string;
  readonly files?: readonly string[];
}

/** Which part of the sources is searched. */
export type QueryOrigin = 'body' | 'title_and_files' | 'overview' | 'plan' | 'signature' | 'text' | 'title' | 'diff';

export interface ExtractedQuery {
  /** One line, cut at a word to the workflow's limit; empty where the sources hold nothing. */
  readonly text: string;
  readonly source: QueryOrigin;
  /** Set where the text was a raw diff and only its paths and identifiers are searched. */
  readonly reduced?: 'diff';
  /** The line that names the error, where the query is about one. */
  readonly signature?: string;
  readonly isError: boolean;
}

type Picked = readonly [text: string, source: QueryOrigin];

/** A pull request body shorter than this says too little. */
const MIN_BODY_CHARS = 50;
const NAMED_FILES = 3;

/** The line with which a workflow log of GitHub begins a step. */
const STEP_LINE = /(?:##\[group\]|::group::)Run ([^\n]{1,120})/g;

/** The query of a call by the rules of its workflow: cleaned, white space collapsed, cut at a word. */
export function extractQuery(given: QuerySource): ExtractedQuery {
  const { workflow } = given;
  const text = cleanText(given.text ?? '').text;
  const error = cleanText(given.error ?? '').text;
  const diff = reduceDiff(text);
  const signature = pickSignature(error.trim() !== '' ? error : diff === undefined ? text : '');
  const isError = workflow.isError || error.trim() !== '' || signature?.class === 'strong';
  const [picked, source] = diff === undefined ? pick({ ...given, text, error }, signature) : ([diff, 'diff'] as const);
  return {
    text: cutAtWord(collapseWhitespace(picked), workflow.maxChars),
    source,
    ...(diff === undefined ? {} : { reduced: 'diff' as const }),
    ...(signature === undefined || !isError ? {} : { signature: signature.display }),
    isError,
  };
}

type CleanSource = QuerySource & { readonly text: string; readonly error: string };

/** A trace is never searched, only the line that names the error; then what else the caller said. */
function pick(source: CleanSource, signature: Signature | undefined): Picked {
  const { workflow, text, error, title = '' } = source;
  const hasError = error.trim() !== '';
  if (signature !== undefined && (hasError || workflow.isError)) {
    const step = title === '' && workflow.name === 'ci' ? lastStep(hasError ? error : text) : title;
    return [[signature.display, step, hasError ? text : ''].join(' '), 'signature'];
  }
  return pickText(text.trim() === '' ? { ...source, text: error } : source);
}

function pickText({ workflow, text, title = '', files = [] }: CleanSource): Picked {
  if (workflow.name === 'plan' || workflow.name === 'work') {
    const overview = findOverview(text);
    if (overview !== undefined) return [overview, 'overview'];
    const plan = stripFrontmatter(text);
    return plan.trim() === '' ? [title, 'title'] : [plan, 'plan'];
  }
  if (workflow.name === 'review') {
    const isShort = countChars(collapseWhitespace(text)) < MIN_BODY_CHARS;
    const fallback = isShort ? reviewFallback(title, files) : '';
    return fallback === '' ? [text, 'body'] : [fallback, 'title_and_files'];
  }
  return text.trim() === '' ? [title, 'title'] : [text, 'text'];
}

/** Title, kinds of files and three base names: what a pull request without a body still says. */
function reviewFallback(title: string, files: readonly string[]): string {
  const categories = new Set(
    files.map((path) => {
      const { category, language } = categoriseFile(path);
      return language === undefined ? category : `${category} ${language}`;
    }),
  );
  const names = files.slice(0, NAMED_FILES).map(baseNameOf);
  return [title, [...categories].join(' '), names.join(' ')].filter((part) => part.trim() !== '').join(' ');
}

/** The step that a workflow log was in when it ended. */
function lastStep(log: string): string {
  return Array.from(log.matchAll(STEP_LINE)).at(-1)?.[1] ?? '';
}

/** Whether a query asks about an error: by its workflow, or by a strong signature in its text. */
export function isErrorQuery(workflow: Workflow, text: string): boolean {
  return workflow.isError || pickSignature(text)?.class === 'strong';
}
