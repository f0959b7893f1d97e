import { type ErrorFixRecord, type RenderedBlock, renderBlock } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { cleanText, redactSecrets } from '../../text/index.ts';
import { displayText, toErrorFixRecord } from '../draft.ts';
import { type Entry, partOf, type RevisionFields } from '../model.ts';
import { readEntries, readProvenance } from '../store/entries.ts';
import type { RecallQuery } from './query.ts';
import type { Finding } from './request.ts';
import type { Hit } from './search.ts';

/** An error fix is somebody's past experience, and this is said with each one. */
const CAUTION = 'A hypothesis from an earlier failure: explain why it applies to this one before you apply it.';

const DAY_MS = 86_400_000;

/** Rows may be older than a rule: what leaves is cleaned and redacted once more. */
function safe(text: string): string {
  return redactSecrets(cleanText(text).text).text;
}

/** An entry's text as it is now, or as it was at a time. */
interface Wording {
  readonly text: string;
  readonly fields: RevisionFields;
}

function wordingOf(db: Database, entry: Entry, asOf: number | undefined): Wording {
  if (asOf === undefined) return entry;
  const row = db.get<{ text: string; fields: string }>(
    'SELECT text, fields FROM revision WHERE entry_key = ? AND at <= ? ORDER BY n DESC LIMIT 1',
    [entry.key, asOf],
  );
  return row === undefined ? entry : { text: row.text, fields: JSON.parse(row.fields) as RevisionFields };
}

/** How an entry reads on its own, plain. */
export function plainText(db: Database, entry: Entry, asOf: number | undefined): string {
  const { text, fields } = wordingOf(db, entry, asOf);
  return safe(displayText(entry.kind, text, fields));
}

function recordOf(entry: Entry, { text, fields }: Wording): ErrorFixRecord | undefined {
  if (entry.kind !== 'error_fix') return undefined;
  const record = toErrorFixRecord(text, fields);
  return {
    signature: safe(record.signature),
    fix: safe(record.fix),
    ...(record.sourcePath === undefined ? {} : { sourcePath: safe(record.sourcePath) }),
    ...(record.summary === undefined ? {} : { summary: safe(record.summary) }),
  };
}

function alternativesOf(db: Database, entry: { readonly key: number }): string[] {
  return db
    .all<{ id: string }>(
      `SELECT DISTINCT i.id FROM signature s JOIN signature o ON o.key = s.key AND o.level = 1 AND o.entry_key != s.entry_key
         JOIN entry e ON e.key = o.entry_key JOIN entry_identity i ON i.key = o.entry_key
       WHERE s.entry_key = ? AND s.level = 1 AND e.state = 'active' ORDER BY i.id LIMIT 10`,
      [entry.key],
    )
    .map(({ id }) => id);
}

function conflictsOf(db: Database, entry: Entry): string[] {
  return db
    .all<{ id: string }>(
      `SELECT i.id FROM (SELECT other_key AS key FROM conflict WHERE entry_key = ?1 AND relation = 'conflict' AND decided IS NULL
         UNION SELECT entry_key FROM conflict WHERE other_key = ?1 AND relation = 'conflict' AND decided IS NULL) c
       JOIN entry e ON e.key = c.key JOIN entry_identity i ON i.key = c.key WHERE e.state = 'active' ORDER BY i.id LIMIT 10`,
      [entry.key],
    )
    .map(({ id }) => id);
}

/** Hits that are given, each with the whole entry. */
export function withEntries(
  db: Database,
  hits: readonly Hit[],
): readonly { readonly hit: Hit; readonly entry: Entry }[] {
  const entries = readEntries(
    db,
    hits.map(({ entry }) => entry.key),
  );
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  return hits.flatMap((hit) => {
    const entry = byKey.get(hit.entry.key);
    return entry === undefined ? [] : [{ hit, entry }];
  });
}

export interface FindingOptions {
  readonly keep: number;
  readonly maxChars: number;
  readonly now: number;
  readonly asOf?: number;
  readonly explain?: boolean;
}

/** The kept findings with the block that holds them. */
export function toFindings(
  db: Database,
  query: RecallQuery,
  hits: readonly Hit[],
  options: FindingOptions,
): { readonly findings: readonly Finding[]; readonly rendered: RenderedBlock } {
  const kept = withEntries(db, hits.slice(0, options.keep));
  const wordings = kept.map(({ entry }) => wordingOf(db, entry, options.asOf));
  const rendered = renderBlock({
    workflow: query.workflow.name,
    findings: kept.map(({ entry, hit }, i) => {
      const wording = wordings[i] ?? entry;
      const errorFix = recordOf(entry, wording);
      const text = safe(displayText(entry.kind, wording.text, wording.fields));
      return { text, score: hit.score.value, ...(errorFix === undefined ? {} : { errorFix }) };
    }),
    keep: options.keep,
    maxChars: options.maxChars,
  });
  const findings = kept.map(({ entry, hit }, i): Finding => {
    const { score, floor, evidence, rank } = hit;
    const provenance = readProvenance(db, entry.key).at(-1);
    const sourcePath = partOf((wordings[i] ?? entry).text, (wordings[i] ?? entry).fields.sourcePath);
    return {
      id: entry.id,
      kind: entry.kind,
      type: entry.type,
      state: entry.state,
      score: score.value,
      floor,
      match: score.match,
      content: rendered.contents[i] ?? '',
      ageDays: Math.max(0, Math.floor((options.now - entry.updatedAt) / DAY_MS)),
      trust: entry.trust,
      ...(provenance === undefined ? {} : { provenance }),
      ...(sourcePath === undefined ? {} : { sourcePath }),
      outcomes: { worked: entry.worked, failed: entry.failed },
      suspect: entry.suspect,
      alternatives: entry.kind === 'error_fix' ? alternativesOf(db, entry) : [],
      conflictsWith: conflictsOf(db, entry),
      ...(entry.kind === 'error_fix' ? { caution: CAUTION } : {}),
      ...(options.explain === true ? { evidence: { ...evidence, rank } } : {}),
    };
  });
  return { findings, rendered };
}

/** A fix that failed twice comes after the other fixes of the same error; everything else keeps its place. */
export function withSuspectsLast(db: Database, hits: readonly Hit[]): Hit[] {
  const ordered = [...hits];
  for (const hit of hits.filter(({ entry }) => entry.suspect)) {
    const alternatives = new Set(alternativesOf(db, hit.entry));
    const last = ordered.findLastIndex(({ entry }) => alternatives.has(entry.id));
    const own = ordered.indexOf(hit);
    if (last <= own) continue;
    ordered.splice(own, 1);
    ordered.splice(last, 0, hit);
  }
  return ordered;
}
