import type { RememberRequest } from '../remember/request.ts';

/**
 * The items of an old `intelligence.json`, in all shapes that its writers left behind: with and without ids, with
 * `type` or `memory_type`, `created` as ISO text or `timestamp` in seconds. Stored vectors and ids are never used:
 * the vectors have unknown makers, and the ids collide within a second.
 */

/** Telemetry that the old hooks wrote among the notes. */
export type NoiseKind = 'edit_telemetry' | 'command_telemetry';

/** What one item turned out to be; an item may hold several statements. */
export type OldItem =
  | { readonly is: 'statement'; readonly request: Statement; readonly at?: number }
  | { readonly is: 'noise'; readonly noise: NoiseKind; readonly request: Statement; readonly at?: number }
  | { readonly is: 'rejected'; readonly reason: string };

/** The part of a request that an old item can fill. */
export type Statement = Pick<RememberRequest, 'content' | 'error' | 'fix' | 'type'>;

const SECTION_NAMES: ReadonlySet<string> = new Set([
  'memories',
  'errors',
  'patterns',
  'trajectories',
  'agents',
  'edges',
  'file_sequences',
]);

/** Sections that are taken in; the others are only counted. */
const IMPORTED_SECTIONS: ReadonlySet<string> = new Set(['memories', 'errors']);

/** Sections stand at the root, or under `data` in the output of the old export. */
export function sectionOfOldFile(path: readonly string[]): string | undefined {
  const [first, second] = path;
  if (path.length === 1 && first !== undefined && SECTION_NAMES.has(first)) return first;
  if (path.length === 2 && first === 'data' && second !== undefined && SECTION_NAMES.has(second)) return second;
  return undefined;
}

export function isImportedSection(section: string): boolean {
  return IMPORTED_SECTIONS.has(section);
}

const EDIT_TELEMETRY = /^(?:successful|failed|unsuccessful) edit of .{1,200} in \S.{0,200}$/i;
const COMMAND_TELEMETRY = /^(?<command>.{1,2000}) (?:succeeded|failed)$/s;
/** Programs that a shell command of a coding session begins with. */
const PROGRAM =
  /^(?:sudo |[A-Z_]+=\S+ )*(?:npm|npx|pnpm|yarn|bun|deno|node|git|gh|cargo|rustc|go|python3?|pip3?|uv|pytest|make|cmake|docker|kubectl|ls|cd|cat|grep|rg|find|sed|awk|echo|curl|wget|rm|cp|mv|mkdir|chmod|tsc|eslint|vitest|jest|bash|sh|ruvector|claude|\.{0,2}\/\S+)(?:\s|$)/;

function noiseOf(content: string, type: string | undefined): NoiseKind | undefined {
  const text = content.trim();
  if (EDIT_TELEMETRY.test(text)) return 'edit_telemetry';
  const command = COMMAND_TELEMETRY.exec(text)?.groups?.['command'];
  if (command === undefined) return undefined;
  const isQuoted = command.startsWith('`') && command.endsWith('`');
  return isQuoted || type === 'command' || PROGRAM.test(command) ? 'command_telemetry' : undefined;
}

/** Reads one member of a section. `key` is its name where the section is an object. */
export function readOldItem(section: string, key: string | undefined, value: unknown): OldItem[] {
  if (section === 'errors') return readError(key, value);
  return [readMemory(value)];
}

function readMemory(value: unknown): OldItem {
  if (typeof value === 'string') return toStatement(value, undefined, undefined);
  if (!isRecord(value)) return { is: 'rejected', reason: `not an object but ${nameOf(value)}` };
  const content = value['content'] ?? value['text'];
  if (typeof content !== 'string') return { is: 'rejected', reason: `content is ${nameOf(content)}, not text` };
  return toStatement(content, textOf(value['type']) ?? textOf(value['memory_type']), timeOf(value));
}

function toStatement(content: string, type: string | undefined, at: number | undefined): OldItem {
  const request: Statement = { content, ...(type === undefined ? {} : { type }) };
  const time = at === undefined ? {} : { at };
  const noise = noiseOf(content, type);
  return noise === undefined ? { is: 'statement', request, ...time } : { is: 'noise', noise, request, ...time };
}

function readError(key: string | undefined, value: unknown): OldItem[] {
  if (Array.isArray(value)) return value.flatMap((item) => readError(key, item));
  if (typeof value === 'string' && key !== undefined) return [toErrorFix(key, value, undefined)];
  if (!isRecord(value)) return [{ is: 'rejected', reason: `not an object but ${nameOf(value)}` }];
  const error =
    firstText(value, ['error', 'message', 'error_message', 'signature', 'pattern', 'stderr', 'code']) ?? key;
  if (error === undefined) return [{ is: 'rejected', reason: 'names no error' }];
  const fixes = [value['fix'], value['solution'], value['resolution'], value['fixes'], value['suggestions']].flatMap(
    textsOf,
  );
  if (fixes.length === 0) return [{ is: 'rejected', reason: 'an error without a fix' }];
  return fixes.map((fix) => toErrorFix(error, fix, timeOf(value)));
}

function toErrorFix(error: string, fix: string, at: number | undefined): OldItem {
  return { is: 'statement', request: { error, fix }, ...(at === undefined ? {} : { at }) };
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? textsOf(value['fix'] ?? value['solution'] ?? value['content'] ?? value['text']) : [];
}

function firstText(value: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(value[name]);
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** Seconds since 1970 stay under this until the year 5138; milliseconds have passed it since 1973. */
const SECONDS_LIMIT = 1e11;

/** When the item was written, in milliseconds; undefined where it does not say or what it says is no time. */
function timeOf(value: Readonly<Record<string, unknown>>): number | undefined {
  for (const name of ['created', 'created_at', 'timestamp', 'lastSeen', 'last_seen']) {
    const stated = value[name];
    const at =
      typeof stated === 'number' ? (stated < SECONDS_LIMIT ? stated * 1000 : stated) : Date.parse(String(stated));
    if (Number.isFinite(at) && at > 0) return Math.round(at);
  }
  return undefined;
}
