import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timed } from '../support/alternate.ts';
import { ROOT } from '../support/folders.ts';
import { readProcessMemory } from '../support/process-memory.ts';
import { seededNotes } from '../support/seeded-notes.ts';
import { median, type Summary, summarise } from '../support/stats.ts';
import type { MemoryServer } from './memory-server.ts';
import { recall, remember, seededProjects, startServer } from './session.ts';

/** One server with a store of one size. Times in milliseconds, memory in megabytes of the process and its children. */
export interface SizeFigures {
  readonly notes: number;
  /** Process start to the answered `tools/list`, and on to the first answered recall; medians. */
  readonly toTools: number;
  readonly toFirstRecall: number;
  readonly recall: Summary;
  readonly remember: Summary;
  /** After the tools are listed; after all calls; the highest on the way. */
  readonly idleMemory: number | undefined;
  readonly memory: number | undefined;
  readonly peakMemory: number | undefined;
}

export interface SizeRounds {
  readonly starts: number;
  readonly recalls: number;
  readonly remembers: number;
}

export async function measureSize(server: MemoryServer, notes: number, rounds: SizeRounds): Promise<SizeFigures> {
  const makeProject = await seededProjects(server, notes);
  const { queries } = JSON.parse(readFileSync(join(ROOT, 'bench/data/own20.json'), 'utf8')) as {
    queries: { text: string }[];
  };
  const question = (index: number): string => queries[index % queries.length]?.text ?? '';

  const toTools: number[] = [];
  const toFirstRecall: number[] = [];
  const project = makeProject();
  let idleMemory: number | undefined;
  for (let start = 0; start < rounds.starts; start++) {
    const began = performance.now();
    const process = startServer(server, project);
    await process.open();
    toTools.push(performance.now() - began);
    idleMemory = readProcessMemory(process.pid)?.resident;
    await recall(process, question(start));
    toFirstRecall.push(performance.now() - began);
    await process.close();
  }

  const process = startServer(server, project);
  await process.open();
  await recall(process, question(0));
  const recalls: number[] = [];
  for (let index = 0; index < rounds.recalls; index++) {
    recalls.push(await timed(() => recall(process, question(index))));
  }
  const remembers: number[] = [];
  for (const { content, type } of seededNotes(rounds.remembers, 2_000)) {
    remembers.push(await timed(() => remember(process, content, type)));
  }
  const memory = readProcessMemory(process.pid);
  await process.kill();
  return {
    notes,
    toTools: median(toTools),
    toFirstRecall: median(toFirstRecall),
    recall: summarise(recalls),
    remember: summarise(remembers),
    idleMemory,
    memory: memory?.resident,
    peakMemory: memory?.peak,
  };
}
