import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { throwIfCancelled } from '../../kernel/index.ts';
import { type BatchRun, writeInBatches } from './batches.ts';
import type { EventLine, TombstoneLine } from './export-line.ts';
import { parseExportLine } from './parse-line.ts';
import { LineReplayer, type ReplayContext } from './replay-line.ts';

/** Lines in hand at once; written as several transactions. */
const WINDOW = 256;

export interface JsonlImport extends BatchRun {
  readonly path: string;
  readonly context: ReplayContext;
}

interface Numbered {
  readonly line: EventLine | TombstoneLine;
  readonly place: string;
}

/** Takes in an export of Cairn; its header has been checked. A line that cannot be used is reported and passed over. */
export async function importJsonl(job: JsonlImport): Promise<void> {
  const { tally } = job.context;
  const replayer = new LineReplayer(job.context);
  const write = async (window: readonly Numbered[]): Promise<void> =>
    writeInBatches(job, window, (db, { line, place }) =>
      'tombstone' in line ? replayer.tombstone(db, line, place) : replayer.event(db, line, place),
    );
  let window: Numbered[] = [];
  let number = 0;
  const lines = createInterface({ input: createReadStream(job.path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const text of lines) {
    number += 1;
    if (number === 1 || text.trim() === '') continue;
    throwIfCancelled(job.signal);
    const line = parseExportLine(text);
    const place = `line ${number}`;
    if ('bad' in line) {
      tally.damage(`${place}: ${line.bad}`);
      tally.reject(place, line.bad);
      continue;
    }
    window.push({ line, place });
    if (window.length >= WINDOW) {
      await write(window);
      window = [];
    }
  }
  await write(window);
}
