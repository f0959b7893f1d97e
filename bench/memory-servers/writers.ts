import { seededNotes } from '../support/seeded-notes.ts';
import type { MemoryServer } from './memory-server.ts';
import { newProject, remember, startServer } from './session.ts';

/** Several server processes that write into one project at the same time. */
export interface Writing {
  readonly writers: number;
  readonly acknowledged: number;
  /** Acknowledged notes that a new process finds. */
  readonly kept: number;
  readonly errors: number;
  readonly seconds: number;
}

export async function measureWriters(server: MemoryServer, writers: number, notesEach: number): Promise<Writing> {
  const project = await newProject(server);
  const processes = Array.from({ length: writers }, () => startServer(server, project));
  await Promise.all(processes.map((process) => process.open()));
  const acknowledged: string[] = [];
  let errors = 0;
  const start = performance.now();
  await Promise.all(
    processes.map(async (process, writer) => {
      for (const { content, type } of seededNotes(notesEach, 100 + writer)) {
        try {
          if (await remember(process, content, type)) acknowledged.push(content);
        } catch {
          errors++;
        }
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  await Promise.all(processes.map((process) => process.close()));
  const kept = (await server.readStored(project, acknowledged)).size;
  return { writers, acknowledged: acknowledged.length, kept, errors, seconds };
}
