import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../storage/index.ts';
import { type Entry, partOf } from '../model.ts';
import { type ExportedEntry, exportedEntries } from './entry-pages.ts';
import type { ExportTally } from './export-jsonl.ts';
import { toFileError, writePrivateFile } from './private-file.ts';

const SLUG_CHARS = 48;

/** Writes one file per entry into a folder that only its owner may read. Gives the bytes written. */
export async function writeMarkdown(
  store: Store,
  folder: string,
  tally: ExportTally,
  signal: AbortSignal,
): Promise<number> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileError(error, folder);
  }
  let bytes = 0;
  for (const entry of exportedEntries(store, tally)) {
    signal.throwIfAborted();
    bytes += await writePrivateFile(join(folder, nameOf(entry)), [toMarkdown(entry)]);
    tally.lines += 1;
  }
  return bytes;
}

/** Day, first words and the end of the id: sorts by time, says what it is, and is unique. */
function nameOf(entry: Entry): string {
  const slug = (partOf(entry.text, entry.fields.signature) ?? entry.text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS)
    .replace(/^-+|-+$/g, '');
  return `${new Date(entry.createdAt).toISOString().slice(0, 10)}-${slug === '' ? entry.kind : slug}-${entry.id.slice(-8)}.md`;
}

function toMarkdown(entry: ExportedEntry): string {
  const head: [string, unknown][] = [
    ['id', entry.id],
    ['kind', entry.kind],
    ['type', entry.type],
    ['state', entry.state],
    ['trust', entry.trust],
    ['created', new Date(entry.createdAt).toISOString()],
    ['updated', new Date(entry.updatedAt).toISOString()],
    ['revision', entry.revision],
    ['tags', entry.fields.tags],
    ['files', entry.fields.files],
    ['worked', entry.worked === 0 ? undefined : entry.worked],
    ['failed', entry.failed === 0 ? undefined : entry.failed],
    ['superseded_by', entry.supersededBy],
  ];
  // JSON values are YAML values, and need no escaping rules of their own.
  const lines = head.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]));
  return `---\n${lines.join('\n')}\n---\n\n${bodyOf(entry)}\n`;
}

function bodyOf({ kind, text, fields }: Entry): string {
  if (kind === 'learning') return text.trim();
  const sections: [string, string | undefined][] = [
    ['Error', partOf(text, fields.signature)],
    ['Fix', partOf(text, fields.fix)],
    ['Source', partOf(text, fields.sourcePath)],
    ['Problem', partOf(text, fields.summary)],
  ];
  return sections
    .flatMap(([title, part]) => (part === undefined ? [] : [`## ${title}\n\n${part.trim()}`]))
    .join('\n\n');
}
