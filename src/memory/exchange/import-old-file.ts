import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isCairnError, throwIfCancelled } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { cleanText, cutAtWord, redactSecrets } from '../../text/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryType } from '../model.ts';
import { findIdentity } from '../remember/decide.ts';
import { takeIn } from '../remember/intake.ts';
import { createEntry, mergeInto, reviseEntry, type WriteContext } from '../remember/write-entry.ts';
import { type BatchRun, writeInBatches } from './batches.ts';
import { type JsonItem, JsonItemScanner } from './json-items.ts';
import { hasObservation, hasRevision } from './known.ts';
import { isImportedSection, type OldItem, readOldItem, type Statement, sectionOfOldFile } from './old-items.ts';
import type { ImportTally } from './report.ts';

const CHUNK_BYTES = 256 * 1024;
/** Preparing an item costs about a quarter of a millisecond; so many of them stay well under a turn of 50 ms. */
const PREPARED_PER_TURN = 32;
/** Items in hand at once: bounds the memory, and is written as several transactions. */
const WINDOW = 256;
const PLACE_CHARS = 60;

/** Never used, and most of an item; inside a text its quotes would be escaped, so nothing else is like this. */
const STORED_VECTOR = /"embedding"\s*:\s*\[[-+.\deE,\s]*\]/;

/** Where the items of an old file come from, and how they are written. */
export interface OldFileImport extends BatchRun {
  readonly path: string;
  /** What provenance says of the file: project-relative where it is inside the project. */
  readonly label: string;
  readonly fileHash: string;
  readonly includeNoise: boolean;
  readonly context: Omit<WriteContext, 'db' | 'at'>;
  readonly tally: ImportTally;
}

interface Prepared {
  readonly draft: Draft;
  readonly type: EntryType;
  readonly quality: boolean;
  readonly at: number;
  readonly place: string;
}

const TYPES: readonly string[] = ['decision', 'context', 'project', 'code', 'general'];

/** Takes in one `intelligence.json` of the old engine. The file is opened for reading alone. */
export async function importOldFile(job: OldFileImport): Promise<void> {
  const scanner = new JsonItemScanner(sectionOfOldFile);
  const counts = new Map<string, number>();
  let prepared: Prepared[] = [];
  let sinceTurn = 0;
  const file = await open(job.path, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      throwIfCancelled(job.signal);
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      for (const item of scanner.push(buffer.subarray(0, bytesRead))) {
        const n = counts.get(item.section) ?? 0;
        counts.set(item.section, n + 1);
        prepared.push(...prepare(job, item, n));
        if (++sinceTurn >= PREPARED_PER_TURN) {
          sinceTurn = 0;
          await nextTurn();
        }
        if (prepared.length >= WINDOW) {
          await write(job, prepared);
          prepared = [];
        }
      }
    }
  } finally {
    await file.close();
  }
  await write(job, prepared);
  noteDamage(job.tally, scanner, counts);
}

function noteDamage(tally: ImportTally, scanner: JsonItemScanner, counts: ReadonlyMap<string, number>): void {
  const { cutIn, trailingBytes, oversized } = scanner.end();
  if (cutIn !== undefined) {
    const place = cutIn === '' ? 'outside of any section' : `in ${cutIn}, after ${counts.get(cutIn) ?? 0} whole items`;
    tally.damage(`the file ends in the middle (${place})`);
  }
  if (trailingBytes > 0) tally.damage(`${trailingBytes} bytes after the end of the JSON were passed over`);
  if (oversized > 0) tally.damage(`${oversized} items larger than 16 MiB were passed over`);
}

async function write(job: OldFileImport, prepared: readonly Prepared[]): Promise<void> {
  await writeInBatches(job, prepared, (db, item) => store(db, job, item));
}

/** What an item of the file would store; rejected, noisy and ignored ones are counted here. */
function prepare(job: OldFileImport, item: JsonItem, n: number): Prepared[] {
  const { tally } = job;
  if (!isImportedSection(item.section)) {
    tally.ignore(item.section);
    return [];
  }
  const place = placeOf(item, n);
  let value: unknown;
  try {
    value = JSON.parse(item.raw.replace(STORED_VECTOR, '"embedding":0'));
  } catch {
    tally.damage(`${place} is not JSON`);
    tally.reject(place, 'damaged');
    return [];
  }
  return readOldItem(item.section, item.key, value).flatMap((old) => prepareOne(job, old, place));
}

/** Where an item stands in the file; an error's key is text of the file and may hold a secret. */
function placeOf({ section, key }: JsonItem, n: number): string {
  if (section !== 'errors' || key === undefined) return `${section}[${n}]`;
  return `${section}[${cutAtWord(redactSecrets(cleanText(key).text).text, PLACE_CHARS)}]`;
}

function prepareOne(job: OldFileImport, old: OldItem, place: string): Prepared[] {
  const { tally, clock } = job;
  if (old.is === 'rejected') {
    tally.reject(place, old.reason);
    return [];
  }
  if (old.is === 'noise') {
    tally.noise(old.noise);
    if (!job.includeNoise) return [];
  }
  try {
    const intake = takeIn({ door: 'hooks', ...old.request });
    tally.redact(intake.redactions);
    tally.removedCharacters += intake.removed;
    const now = clock.now();
    return intake.drafts.map((draft) => ({
      draft,
      type: draft.kind === 'error_fix' ? 'context' : typeOf(old.request),
      quality: intake.gates.passed,
      at: old.at === undefined ? now : Math.min(old.at, now),
      place,
    }));
  } catch (error) {
    if (!isCairnError(error)) throw error;
    tally.reject(place, `${error.code}: ${error.message}`);
    return [];
  }
}

function typeOf(request: Statement): EntryType {
  const asked = request.type?.trim().toLowerCase() ?? '';
  return (TYPES.includes(asked) ? asked : 'general') as EntryType;
}

/** Content identity decides: the same file again, or a changed one, adds only what is new. */
function store(db: Database, job: OldFileImport, item: Prepared): void {
  const { tally } = job;
  const write: WriteContext = { ...job.context, db, at: item.at };
  const provenance = { source: 'import', file: job.label, fileHash: job.fileHash, at: item.at };
  const identity = findIdentity(db, item.draft);
  switch (identity.decision) {
    case 'forgotten':
      tally.reject(item.place, 'forgotten: this text was forgotten on purpose');
      return;
    case 'superseded':
      tally.reject(item.place, 'superseded: a newer text has replaced this one');
      return;
    case 'merge':
      if (!hasObservation(db, identity.key, provenance)) mergeInto(write, identity.key, provenance, { reopen: false });
      tally.merged += 1;
      return;
    case 'update':
      // An older text of the same document and error: known, and not to be put back.
      if (!hasRevision(db, identity.key, item.draft.contentHash))
        reviseEntry(write, identity.key, item.draft, provenance);
      tally.merged += 1;
      return;
    case 'new':
      createEntry(write, item.draft, { type: item.type, trust: 'import', quality: item.quality, provenance });
      tally.imported += 1;
  }
}
