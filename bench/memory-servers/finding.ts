import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/folders.ts';
import type { MemoryServer } from './memory-server.ts';
import { newProject, recall, remember, startServer } from './session.ts';

const FLOOR = 0.5;

interface OwnSet {
  readonly notes: readonly { readonly type: string; readonly content: string }[];
  readonly queries: readonly { readonly text: string; readonly note: number }[];
  readonly noise: readonly string[];
}

/** How many of 20 paraphrases find their note first, while the server runs, after a restart, and by the command. */
export interface Finding {
  readonly stored: number;
  readonly firstBefore: number;
  readonly firstAfter: number;
  readonly firstByCommand: number | undefined;
  /** Right notes at or above the floor of 0.5 after the restart, and queries about nothing stored that reach it. */
  readonly overFloorAfter: number;
  readonly noiseOverFloorAfter: number;
  /** Lines on standard output that are not JSON-RPC. */
  readonly strayLines: number;
}

type Findings = readonly { readonly content: string; readonly score: number }[];

/** Each note is stored and each query asked by a process of its own. */
async function findByCommand(server: MemoryServer, set: OwnSet): Promise<number> {
  const project = await newProject(server);
  const run = async (argv: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, argv, { cwd: project, env: { ...server.environment } })).stdout;
  for (const { content, type } of set.notes) await run(server.rememberCommand(content, type));
  let right = 0;
  for (const query of set.queries) {
    const output = await run(server.recallCommand(query.text));
    // A command may cut the text that it prints.
    const wanted = set.notes[query.note]?.content ?? '';
    const shown = server.readFirstFinding(output) ?? '';
    right += shown !== '' && wanted.startsWith(shown.replace(/…$/, '')) ? 1 : 0;
  }
  return right;
}

/**
 * Measures on `bench/data/own20.json`: 20 notes, 20 paraphrases, 5 queries that nothing answers. `byCommand` also runs
 * one process for each note and query, which takes minutes with some peers.
 */
export async function measureFinding(server: MemoryServer, byCommand: boolean): Promise<Finding> {
  const set = JSON.parse(readFileSync(join(ROOT, 'bench/data/own20.json'), 'utf8')) as OwnSet;
  const project = await newProject(server);
  const isRight = (query: OwnSet['queries'][number], found: Findings): boolean =>
    found[0]?.content === set.notes[query.note]?.content;

  const first = startServer(server, project);
  await first.open();
  let stored = 0;
  for (const { content, type } of set.notes) stored += (await remember(first, content, type)) ? 1 : 0;
  let firstBefore = 0;
  for (const query of set.queries) firstBefore += isRight(query, await recall(first, query.text)) ? 1 : 0;
  let strayLines = first.strayLines;
  await first.close();

  const second = startServer(server, project);
  await second.open();
  // The very first query also loads the model; it is asked twice so that a cold start is not judged here.
  await recall(second, set.queries[0]?.text ?? '');
  let firstAfter = 0;
  let overFloorAfter = 0;
  for (const query of set.queries) {
    const found = await recall(second, query.text);
    firstAfter += isRight(query, found) ? 1 : 0;
    overFloorAfter += isRight(query, found) && (found[0]?.score ?? 0) >= FLOOR ? 1 : 0;
  }
  let noiseOverFloorAfter = 0;
  for (const query of set.noise) {
    noiseOverFloorAfter += (await recall(second, query)).some(({ score }) => score >= FLOOR) ? 1 : 0;
  }
  strayLines += second.strayLines;
  await second.close();

  const firstByCommand = byCommand ? await findByCommand(server, set) : undefined;
  return { stored, firstBefore, firstAfter, firstByCommand, overFloorAfter, noiseOverFloorAfter, strayLines };
}
