import type { SeededNote } from '../support/seeded-notes.ts';

/** A memory server as an agent's host starts it, with what a benchmark needs to know about its files. */
export interface MemoryServer {
  readonly label: string;
  /** Arguments of Node.js for the server on standard streams. */
  readonly serverArguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments of Node.js for one command: store a note, find notes (JSON on standard output). */
  rememberCommand(content: string, type: string): readonly string[];
  recallCommand(query: string): readonly string[];
  /** The first finding in the output of that command, as far as it is printed. */
  readFirstFinding(output: string): string | undefined;
  /** Makes an empty project that the server accepts, in an existing empty folder. */
  prepareProject(folder: string): Promise<void>;
  /** Fills the project's store with notes and their vectors, as the server itself would have left it. */
  seed(folder: string, notes: Iterable<SeededNote>): Promise<void>;
  /** Files that change while a note is written. */
  storeFiles(folder: string): readonly string[];
  /**
   * Which of the notes a new process finds in the project's store. Throws when the store cannot be read any more.
   */
  readStored(folder: string, contents: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What `hooks_recall` answers, in both servers. */
export interface RecallAnswer {
  readonly results: readonly { readonly content: string; readonly score: number | string }[];
}

/** What `hooks_remember` answers, in both servers. */
export interface RememberAnswer {
  readonly stored?: boolean;
}
