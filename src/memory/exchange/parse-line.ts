import type { EventOperation, Provenance, RevisionFields } from '../model.ts';
import type { EventLine, ExportHeader, TombstoneLine } from './export-line.ts';

/** A line that holds nothing that could be used, and why. */
export interface BadLine {
  readonly bad: string;
}

const OPERATIONS: ReadonlySet<string> = new Set<EventOperation>([
  'create',
  'revise',
  'merge',
  'supersede',
  'update',
  'outcome',
  'confirm',
  'close',
  'reopen',
  'retract',
  'restore',
]);

/** Ids as this program makes them; an export of another program has no business to name others. */
const ENTRY_ID = /^mem_[0-9a-z]{1,64}$/;
const MAX_TEXT_CHARS = 100_000;

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The last moment that a date can be made of. */
const LAST_TIME = 8.64e15;

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LAST_TIME;
}

/** The header, or why the file is none of ours. */
export function parseHeader(line: string): ExportHeader | BadLine {
  const value = parse(line);
  if (!isRecord(value) || value['cairn'] !== 'memory-export')
    return { bad: 'not an export of Cairn: the header line is missing' };
  if (value['version'] !== 1)
    return { bad: `an export of format ${String(value['version'])}, which this version cannot read` };
  return {
    cairn: 'memory-export',
    version: 1,
    project_id: typeof value['project_id'] === 'string' ? value['project_id'] : '',
    exported_at: isTime(value['exported_at']) ? value['exported_at'] : 0,
    events: isTime(value['events']) ? value['events'] : 0,
  };
}

/** One line after the header. Everything in a file is checked: it may have been edited, cut, or made up. */
export function parseExportLine(line: string): EventLine | TombstoneLine | BadLine {
  const value = parse(line);
  if (!isRecord(value)) return { bad: 'not a JSON object' };
  if ('tombstone' in value) {
    const { tombstone, at } = value;
    if (typeof tombstone !== 'string' || !ENTRY_ID.test(tombstone) || !isTime(at))
      return { bad: 'a tombstone without id or time' };
    return { tombstone, at };
  }
  const { at, op, entry, actor, payload } = value;
  if (!isTime(at)) return { bad: 'no time' };
  if (typeof op !== 'string' || !OPERATIONS.has(op))
    return { bad: `operation ${String(op).slice(0, 40)} is not known` };
  if (typeof entry !== 'string' || !ENTRY_ID.test(entry)) return { bad: 'no entry id' };
  if (!isRecord(payload)) return { bad: 'no payload' };
  const revision = parseRevision(value['revision']);
  if (revision === undefined && (op === 'create' || op === 'revise')) return { bad: `${op} without a usable revision` };
  const outcome = parseOutcome(value['outcome']);
  const provenance = Array.isArray(value['provenance']) ? value['provenance'].flatMap(parseProvenance) : [];
  return {
    at,
    op,
    entry,
    actor: typeof actor === 'string' ? actor : 'import',
    payload,
    ...(revision === undefined ? {} : { revision }),
    ...(provenance.length === 0 ? {} : { provenance }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // Not JSON: the caller says so of the line.
    return undefined;
  }
}

function parseRevision(value: unknown): EventLine['revision'] {
  if (!isRecord(value)) return undefined;
  const { n, at, text, fields } = value;
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_TEXT_CHARS || !isTime(at)) return undefined;
  // Ranges inside are checked where the text is cleaned.
  return { n: typeof n === 'number' ? n : 1, at, text, fields: (isRecord(fields) ? fields : {}) as RevisionFields };
}

function parseOutcome(value: unknown): EventLine['outcome'] {
  if (!isRecord(value)) return undefined;
  const { at, verdict, session, note } = value;
  if (!isTime(at) || typeof verdict !== 'string') return undefined;
  return {
    at,
    verdict,
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof note === 'string' ? { note } : {}),
  };
}

function parseProvenance(value: unknown): Provenance[] {
  if (!isRecord(value) || typeof value['source'] !== 'string' || !isTime(value['at'])) return [];
  const texts = ['author', 'host', 'session', 'branch', 'commit', 'file', 'fileHash'].flatMap((name) => {
    const text = value[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  return [{ source: value['source'], at: value['at'], ...Object.fromEntries(texts) }];
}
