import { cpSync } from 'node:fs';
import { temporaryFolder } from '../support/folders.ts';
import { McpProcess } from '../support/mcp-process.ts';
import { seededNotes } from '../support/seeded-notes.ts';
import type { MemoryServer, RecallAnswer, RememberAnswer } from './memory-server.ts';

/** Starts the server in a project. */
export function startServer(server: MemoryServer, project: string): McpProcess {
  return new McpProcess({ argv: server.serverArguments, cwd: project, environment: server.environment });
}

export async function newProject(server: MemoryServer): Promise<string> {
  const folder = temporaryFolder();
  await server.prepareProject(folder);
  return folder;
}

/** Makes projects whose store holds `count` seeded notes; it is filled once and copied. */
export async function seededProjects(server: MemoryServer, count: number): Promise<() => string> {
  const template = await newProject(server);
  if (count > 0) await server.seed(template, seededNotes(count));
  return () => {
    const folder = temporaryFolder();
    cpSync(template, folder, { recursive: true });
    return folder;
  };
}

/** Stores a note; true when the server says that it is stored. */
export async function remember(process: McpProcess, content: string, type: string): Promise<boolean> {
  return (await process.call<RememberAnswer>('hooks_remember', { content, type })).stored === true;
}

/** The findings for a query, best first. */
export async function recall(
  process: McpProcess,
  query: string,
): Promise<{ readonly content: string; readonly score: number }[]> {
  const { results } = await process.call<RecallAnswer>('hooks_recall', { query, top_k: 5 });
  return results.map(({ content, score }) => ({ content, score: Number(score) }));
}
