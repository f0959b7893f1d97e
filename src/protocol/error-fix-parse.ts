import { collapseWhitespace } from '../text/index.ts';
import { type ErrorFixRecord, unescapeField, unescapePath } from './error-fix.ts';

/** What a text in the one-line form holds. */
export interface ParsedErrorFix {
  readonly records: readonly ErrorFixRecord[];
  readonly warnings: readonly string[];
  /** Entries that name no fix: each is a learning, never lost. */
  readonly unparsed: readonly string[];
}

const NOTHING: ParsedErrorFix = { records: [], warnings: [], unparsed: [] };
const HEAD = /^ERROR-FIX:/i;

/**
 * Reads the one-line form; several entries stand on several lines, and a line that does not begin with `ERROR-FIX:`
 * continues the one before. A text that does not begin with it holds no entry. Never throws.
 */
export function parseErrorFix(text: string): ParsedErrorFix {
  const trimmed = text.trim();
  if (!HEAD.test(trimmed)) return NOTHING;
  const records: ErrorFixRecord[] = [];
  const warnings: string[] = [];
  const unparsed: string[] = [];
  for (const entry of splitEntries(trimmed)) {
    const record = parseEntry(entry, warnings);
    if (record === undefined) unparsed.push(entry);
    else records.push(record);
  }
  return { records, warnings: [...new Set(warnings)], unparsed };
}

function splitEntries(text: string): string[] {
  const entries: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (HEAD.test(line.trimStart())) entries.push([]);
    entries.at(-1)?.push(line);
  }
  return entries.map((lines) => collapseWhitespace(lines.join(' ')));
}

/** A separator has a space before its bar; an escaped bar has a backslash there. The flag follows the entry's own spelling. */
function separator(name: string, exact: boolean): RegExp {
  return new RegExp(` \\| ${name}:(?: |$)`, exact ? 'g' : 'gi');
}

function parseEntry(entry: string, warnings: string[]): ErrorFixRecord | undefined {
  const exact = entry.startsWith('ERROR-FIX:');
  if (!exact) warnings.push('ERROR-FIX: is written in another case');
  const body = entry.slice('ERROR-FIX:'.length);
  const fixAt = separator('FIX', exact).exec(body);
  if (fixAt === null) {
    warnings.push('error_fix_unparsed: an entry names no fix');
    return undefined;
  }
  const rest = body.slice(fixAt.index + fixAt[0].length);
  const source = Array.from(rest.matchAll(separator('SOURCE', exact))).findLast((match) =>
    isPathLike(rest.slice(match.index + match[0].length, match.index + MAX_PATH)),
  );
  const signature = unescapeField(body.slice(0, fixAt.index).trim());
  const fix = unescapeField(rest.slice(0, source?.index).trim());
  if (signature === '' || fix === '') {
    warnings.push('error_fix_unparsed: an entry has an empty part');
    return undefined;
  }
  if (source === undefined) return { signature, fix };
  return { signature, fix, ...parseSource(rest.slice(source.index + source[0].length), warnings) };
}

/** Where a path must have ended, in UTF-16 units after the bar. */
const MAX_PATH = 600;

const DASHES: readonly (readonly [pattern: RegExp, name: string | undefined])[] = [
  [/ — /, undefined],
  [/ – /, 'an en dash'],
  [/ -- /, 'two hyphens'],
  [/ - /, 'a hyphen'],
];

/** Where the path ends: at an em dash, else at what is often written for one. */
function findDash(
  text: string,
): { readonly index: number; readonly length: number; readonly name: string | undefined } | undefined {
  for (const [pattern, name] of DASHES) {
    const match = pattern.exec(text);
    if (match !== null) return { index: match.index, length: match[0].length, name };
  }
  return undefined;
}

function parseSource(text: string, warnings: string[]): Pick<ErrorFixRecord, 'sourcePath' | 'summary'> {
  const dash = findDash(text);
  if (dash?.name !== undefined) warnings.push(`${dash.name} stands for the dash after the source path`);
  const sourcePath = unescapePath(text.slice(0, dash?.index).trim());
  const summary = dash === undefined ? '' : unescapeField(text.slice(dash.index + dash.length).trim());
  return { sourcePath, ...(summary === '' ? {} : { summary }) };
}

/** A path begins with a token that holds a separator or a dot, is one token, or ends with a file extension. */
function isPathLike(text: string): boolean {
  const path = text.slice(0, findDash(text)?.index).trim();
  return /^[^\s|]*[\\/.]/.test(path) || /^[^\s|]+$/.test(path) || /\.\w{1,8}$/.test(path);
}
