import { countChars } from '../kernel/index.ts';
import { collapseWhitespace, cutAtWord } from '../text/index.ts';

/** One failure and what fixed it; the typed truth behind the one-line form. */
export interface ErrorFixRecord {
  readonly signature: string;
  readonly fix: string;
  /** Project-relative path of the document that explains it. */
  readonly sourcePath?: string;
  /** The problem in one line; shown only beside a source. */
  readonly summary?: string;
}

/** Chars of each field in the one-line form. */
const FIELD_CHARS = { signature: 300, fix: 400, summary: 160 } as const;

/** A bar that would read as the start of the next field. */
const BAR = /(\\*)\|(?=\s*(?:FIX|SOURCE):)/gi;
/** A beginning that would read as the start of another entry. */
const START = /^(ERROR-FIX)(\\*):/i;
/** A dash that would read as the end of the path. */
const DASH = /(?<= )(\\*)(—|–|--|-)(?= )/g;

/** n backslashes before something special become 2n + 1, so that exactly an odd number means "escaped". */
function escapeField(text: string): string {
  return text
    .replace(BAR, (_, slashes: string) => `${slashes}${slashes}\\|`)
    .replace(START, (_, word: string, slashes: string) => `${word}${slashes}${slashes}\\:`);
}

function escapePath(text: string): string {
  return escapeField(text).replace(DASH, (_, slashes: string, dash: string) => `${slashes}${slashes}\\${dash}`);
}

function halve(slashes: string): string {
  return '\\'.repeat(Math.floor(slashes.length / 2));
}

function unescapeField(text: string): string {
  return text
    .replace(BAR, (_, slashes: string) => `${halve(slashes)}|`)
    .replace(START, (_, word: string, slashes: string) => `${word}${halve(slashes)}:`);
}

function unescapePath(text: string): string {
  return unescapeField(text.replace(DASH, (_, slashes: string, dash: string) => `${halve(slashes)}${dash}`));
}

function line(signature: string, fix: string, sourcePath: string | undefined, summary: string | undefined): string {
  const source = sourcePath === undefined ? '' : ` | SOURCE: ${escapePath(sourcePath)}${summary === undefined ? '' : ` — ${escapeField(summary)}`}`;
  return `ERROR-FIX: ${escapeField(signature)} | FIX: ${escapeField(fix)}${source}`;
}

function flatten(text: string | undefined, maxChars: number): string | undefined {
  if (text === undefined) return undefined;
  const flat = collapseWhitespace(text);
  return flat === '' ? undefined : cutAtWord(flat, maxChars, { ellipsis: true });
}

/**
 * The one-line form of a record: white space as single spaces, fields cut at words (signature 300, fix 400, summary
 * 160 chars). `parseErrorFix` gives the record back for every record within those limits.
 */
export function renderErrorFix(record: ErrorFixRecord): string {
  return line(
    flatten(record.signature, FIELD_CHARS.signature) ?? '',
    flatten(record.fix, FIELD_CHARS.fix) ?? '',
    flatten(record.sourcePath, 512),
    flatten(record.summary, FIELD_CHARS.summary),
  );
}

/** A signature shorter than this no longer tells one error from another. */
const MIN_SIGNATURE_CHARS = 40;

/** The one-line form in at most `maxChars`: the summary is cut first, then the source, the signature, the fix last. */
export function fitErrorFix(record: ErrorFixRecord, maxChars: number): string {
  const whole = renderErrorFix(record);
  if (countChars(whole) <= maxChars) return whole;
  const signature = flatten(record.signature, FIELD_CHARS.signature) ?? '';
  const fix = flatten(record.fix, FIELD_CHARS.fix) ?? '';
  const sourcePath = flatten(record.sourcePath, 512);
  const summary = flatten(record.summary, FIELD_CHARS.summary);
  if (sourcePath !== undefined) {
    const bare = line(signature, fix, sourcePath, undefined);
    const room = maxChars - countChars(bare) - 3;
    if (summary !== undefined && room >= 10) {
      const fitted = line(signature, fix, sourcePath, cutAtWord(summary, room, { ellipsis: true }));
      if (countChars(fitted) <= maxChars) return fitted;
    }
    if (countChars(bare) <= maxChars) return bare;
  }
  const short = line(signature, fix, undefined, undefined);
  if (countChars(short) <= maxChars) return short;
  const excess = countChars(short) - maxChars;
  const signatureRoom = Math.max(MIN_SIGNATURE_CHARS, countChars(signature) - excess);
  return cutAtWord(line(cutAtWord(signature, signatureRoom, { ellipsis: true }), fix, undefined, undefined), maxChars, { ellipsis: true });
}

/** What a text in the one-line form holds. */
export interface ParsedErrorFix {
  readonly records: readonly ErrorFixRecord[];
  readonly warnings: readonly string[];
  /** Lines that begin like an entry and name no fix. */
  readonly unparsed: readonly string[];
}

const ENTRY_START = /^\s*ERROR-FIX:/i;
const PATH_LIKE = /^\S*(?:[/\\]\S*|\.[A-Za-z0-9]{1,10}(?=\s|$|[)\],;:]))/;

/** Positions of unescaped ` | <word>: ` separators. */
function separators(text: string, word: 'FIX' | 'SOURCE'): { start: number; end: number; exact: boolean }[] {
  const pattern = new RegExp(` \\|\\s*(${word}):(?: |$)`, 'gi');
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    exact: match[1] === word,
  }));
}

/** Splits what follows `SOURCE: ` into path and summary. */
function parseSource(rest: string, warnings: string[]): Pick<ErrorFixRecord, 'sourcePath' | 'summary'> {
  const dashes = [...` ${rest}`.matchAll(/ (\\*)(—|–|--|-)(?= )/g)].filter((match) => (match[1] ?? '').length % 2 === 0);
  const dash = dashes.find((match) => match[2] === '—') ?? dashes[0];
  if (dash === undefined) return { sourcePath: unescapePath(rest) };
  if (dash[2] !== '—') warnings.push(`"${dash[2]}" was read as the dash before the summary`);
  // The pattern ran over one space more in front.
  const at = dash.index - 1;
  const sourcePath = unescapePath(rest.slice(0, Math.max(0, at)).trim());
  const summary = unescapeField(rest.slice(at + dash[0].length).trim());
  return { sourcePath, ...(summary === '' ? {} : { summary }) };
}

function parseLine(text: string, warnings: string[]): ErrorFixRecord | undefined {
  const flat = collapseWhitespace(text);
  if (!flat.startsWith('ERROR-FIX:')) warnings.push('"ERROR-FIX:" is written in capitals');
  const body = flat.slice('ERROR-FIX:'.length).trimStart();
  // A space in front, so that an empty signature still has its separator.
  const padded = ` ${body}`;
  const fixAt = separators(padded, 'FIX')[0];
  if (fixAt === undefined) return undefined;
  const signature = unescapeField(padded.slice(0, fixAt.start).trim());
  const afterFix = padded.slice(fixAt.end);
  const sourceAt = separators(` ${afterFix}`, 'SOURCE')
    .filter(({ end }) => PATH_LIKE.test(` ${afterFix}`.slice(end).trimStart()))
    .at(-1);
  const fix = unescapeField((sourceAt === undefined ? afterFix : ` ${afterFix}`.slice(0, sourceAt.start)).trim());
  if (signature === '' || fix === '') return undefined;
  if (!fixAt.exact || sourceAt?.exact === false) warnings.push('"FIX:" and "SOURCE:" are written in capitals');
  const source = sourceAt === undefined ? {} : parseSource(` ${afterFix}`.slice(sourceAt.end).trim(), warnings);
  return { signature, fix, ...source };
}

/**
 * Reads the one-line form, several entries on several lines included. A text that does not begin with `ERROR-FIX:`
 * gives nothing; older spellings are read with a warning; a line without a fix is handed back, never lost.
 */
export function parseErrorFix(text: string): ParsedErrorFix {
  if (!ENTRY_START.test(text)) return { records: [], warnings: [], unparsed: [] };
  const entries: string[] = [];
  for (const row of text.split('\n')) {
    if (ENTRY_START.test(row)) entries.push(row);
    // An entry that was wrapped goes on in the next line.
    else if (row.trim() !== '') entries.push(`${entries.pop() ?? ''} ${row}`);
  }
  const warnings: string[] = [];
  const records: ErrorFixRecord[] = [];
  const unparsed: string[] = [];
  for (const entry of entries) {
    const record = parseLine(entry.trim(), warnings);
    if (record === undefined) unparsed.push(entry.trim());
    else records.push(record);
  }
  return { records, warnings: [...new Set(warnings)], unparsed };
}
