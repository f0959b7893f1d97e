import { collapseWhitespace, cutAtWord } from '../text/index.ts';

/** An error and what fixed it. The record is the truth; the one-line form is how it is shown and exchanged. */
export interface ErrorFixRecord {
  readonly signature: string;
  readonly fix: string;
  /** Path of the document that tells the story. */
  readonly sourcePath?: string;
  /** One line about the problem; rendered only beside a path. */
  readonly summary?: string;
}

/** Longest fields of the one-line form, in characters. */
const ERROR_FIX_LIMITS = { signature: 300, fix: 400, summary: 160 } as const;

const BAR = /(?<!\\)(\\*)\|(?= ?(?:FIX|SOURCE):)/g;
const LEADING_TOKEN = /^ERROR-FIX(\\*):/;
const PATH_DASH = /(?<=^| )(\\*)(—|–|--|-)(?= |$)/g;

function escapeField(text: string): string {
  return text.replace(BAR, '$1$1\\|').replace(LEADING_TOKEN, 'ERROR-FIX$1$1\\:');
}

function toField(text: string, limit: number): string {
  return escapeField(cutAtWord(collapseWhitespace(text), limit, { ellipsis: true }));
}

/**
 * The one-line form: `ERROR-FIX: … | FIX: … | SOURCE: <path> — <summary>`. White space becomes single spaces, fields
 * over their limit are cut at a word and end with `…`, separators inside a field are escaped. Without a path the
 * source part is left out.
 */
export function renderErrorFix(record: ErrorFixRecord): string {
  const signature = toField(record.signature, ERROR_FIX_LIMITS.signature);
  const fix = toField(record.fix, ERROR_FIX_LIMITS.fix);
  const path = escapeField(collapseWhitespace(record.sourcePath ?? '').replace(PATH_DASH, '$1$1\\$2'));
  const summary = toField(record.summary ?? '', ERROR_FIX_LIMITS.summary);
  const source = path === '' ? '' : ` | SOURCE: ${path}${summary === '' ? '' : ` — ${summary}`}`;
  return `ERROR-FIX: ${signature} | FIX: ${fix}${source}`;
}

/** Undoes {@link renderErrorFix}'s escapes in one field. */
export function unescapeField(text: string): string {
  const half = (slashes: string): string => slashes.slice(0, slashes.length >> 1);
  return text
    .replace(BAR, (whole, slashes: string) => (slashes.length % 2 === 0 ? whole : `${half(slashes)}|`))
    .replace(LEADING_TOKEN, (whole, slashes: string) =>
      slashes.length % 2 === 0 ? whole : `ERROR-FIX${half(slashes)}:`,
    );
}

/** Undoes the escapes in a path. */
export function unescapePath(text: string): string {
  return unescapeField(text).replace(PATH_DASH, (whole, slashes: string, dash: string) =>
    slashes.length % 2 === 0 ? whole : slashes.slice(0, slashes.length >> 1) + dash,
  );
}
