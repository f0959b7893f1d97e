import { basename } from 'node:path/posix';
import { countChars } from '../kernel/index.ts';
import { cleanText, collapseWhitespace, cutAtWord, pickSignature, reduceDiff } from '../text/index.ts';
import { categoriseFile } from './file-categories.ts';
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

export interface ExtractedQuery {
  readonly text: string;
  /** Set where the text was a raw diff and only its paths and identifiers are searched. */
  readonly reduced?: 'diff';
  /** The line that names the error, where there is one. */
  readonly signature?: string;
  readonly isError: boolean;
}

/** A pull request body shorter than this says too little. */
const MIN_BODY_CHARS = 50;
const NAMED_FILES = 3;

const FRONTMATTER = /^---\r?\n[\s\S]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const OVERVIEW = /^##[ \t]+Overview[ \t]*#*[ \t]*$/im;

/** The text under the first `## Overview` up to the next heading of that level; else the whole without frontmatter. */
function overviewOf(plan: string): string {
  const body = plan.replace(FRONTMATTER, '');
  const heading = OVERVIEW.exec(body);
  if (heading === null) return body;
  const after = body.slice(heading.index + heading[0].length);
  const next = /^##?[ \t]+\S/m.exec(after);
  return next === null ? after : after.slice(0, next.index);
}

/** Title, kinds of files and three base names: what a pull request without a body still says. */
function reviewFallback(title: string | undefined, files: readonly string[]): string {
  const categories = new Set(
    files.map((path) => {
      const { category, language } = categoriseFile(path);
      return language === undefined ? category : `${category} ${language}`;
    }),
  );
  const names = files.slice(0, NAMED_FILES).map((path) => basename(path.replaceAll('\\', '/')));
  return [title ?? '', [...categories].join(' '), names.join(' ')].filter((part) => part !== '').join(' ');
}

function pickText({ workflow, text = '', title, files = [] }: QuerySource): string {
  if (workflow.name === 'plan' || workflow.name === 'work') return overviewOf(text) || (title ?? '');
  if (workflow.name === 'review' && countChars(collapseWhitespace(text)) < MIN_BODY_CHARS) return reviewFallback(title, files) || text;
  return text === '' ? (title ?? '') : text;
}

/** The query of a call by the rules of its workflow: cleaned, white space collapsed, cut at a word. */
export function extractQuery(source: QuerySource): ExtractedQuery {
  const { workflow } = source;
  const clean = (text: string): string => cleanText(text).text;
  const error = source.error === undefined || source.error.trim() === '' ? undefined : clean(source.error);
  const text = source.text === undefined ? '' : clean(source.text);
  const diff = reduceDiff(text);
  const found = pickSignature(error ?? (diff === undefined ? text : ''));
  const isError = workflow.isError || error !== undefined || found?.class === 'strong';
  // A whole trace is never searched: the line that names the error, then what the step was called.
  const fromError = error === undefined && !workflow.isError ? undefined : found?.display;
  const picked =
    diff ??
    (fromError === undefined
      ? pickText({ ...source, text: text === '' ? (error ?? '') : text })
      : [fromError, source.title ?? '', error === undefined ? '' : text].filter((part) => part !== '').join(' '));
  return {
    text: cutAtWord(collapseWhitespace(picked), workflow.maxChars),
    ...(diff === undefined ? {} : { reduced: 'diff' as const }),
    ...(found === undefined || !isError ? {} : { signature: found.display }),
    isError,
  };
}

/** Whether a query asks about an error: by its workflow, or by a strong signature in its text. */
export function isErrorQuery(workflow: Workflow, text: string): boolean {
  return workflow.isError || pickSignature(text)?.class === 'strong';
}
