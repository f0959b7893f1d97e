import { statSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';
import { seededNotes } from '../support/seeded-notes.ts';
import type { MemoryServer } from './memory-server.ts';
import { remember, seededProjects, startServer } from './session.ts';

const LOOKS_PER_TURN = 500;
const MAX_EXTRA_MS = 3;

/** Kills (SIGKILL) at the first sign of a write, or up to three milliseconds later. */
export interface Killing {
  readonly kills: number;
  /** Stores that no longer could be read. */
  readonly destroyed: number;
  /** Kills after which at least one acknowledged note was missing. */
  readonly withLoss: number;
  readonly acknowledged: number;
  readonly kept: number;
}

function fingerprint(files: readonly string[]): string {
  return files
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats === undefined ? '-' : `${stats.size} ${stats.mtimeMs}`;
    })
    .join();
}

/** Resolves as soon as one of the files changes, or `ended` says that there is nothing to wait for. */
async function firstChange(files: readonly string[], before: string, ended: () => boolean): Promise<void> {
  while (!ended()) {
    for (let look = 0; look < LOOKS_PER_TURN; look++) {
      if (fingerprint(files) !== before) return;
    }
    await nextTurn();
  }
}

export async function measureKills(server: MemoryServer, kills: number, notesBefore: number): Promise<Killing> {
  const makeProject = await seededProjects(server, notesBefore);
  const seeded = [...seededNotes(notesBefore)].map(({ content }) => content);
  const random = seededRandom(7);
  const total = { destroyed: 0, withLoss: 0, acknowledged: 0, kept: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const project = makeProject();
    const process = startServer(server, project);
    await process.open();
    const [first, second] = [...seededNotes(2, 1_000 + kill)];
    if (first === undefined || second === undefined) throw new Error('no notes');
    const acknowledged = [...seeded];
    if (await remember(process, first.content, first.type)) acknowledged.push(first.content);

    const files = server.storeFiles(project);
    const before = fingerprint(files);
    let answered = false;
    const write = remember(process, second.content, second.type).then(
      (stored) => {
        answered = true;
        if (stored) acknowledged.push(second.content);
      },
      () => {
        answered = true;
      },
    );
    await nextTurn();
    await firstChange(files, before, () => answered);
    const extra = random() * MAX_EXTRA_MS;
    if (extra >= 1) await sleep(extra);
    await process.kill();
    await write;

    total.acknowledged += acknowledged.length;
    try {
      const kept = (await server.readStored(project, acknowledged)).size;
      total.kept += kept;
      total.withLoss += kept < acknowledged.length ? 1 : 0;
    } catch {
      total.destroyed++;
      total.withLoss++;
    }
  }
  return { kills, ...total };
}
