import type { ListedTool, OperationCatalog } from '../catalog/index.ts';
import type { ResourceProvider } from './resources.ts';

/** What the process knows about its session before any message has come. */
export interface SessionFacts {
  readonly workingDirectory: string;
  readonly hostProjectDirectory?: string;
  readonly projectArgument?: string;
}

/** What a call needs beyond the list of tools; loaded with the first call. */
export interface LoadedParts {
  readonly catalog: OperationCatalog;
  /** Handed to every operation as it is. */
  readonly deps: unknown;
  readonly resources?: ResourceProvider;
  /** Ends background work and closes what is open; running writes are over by then. */
  close(): Promise<void>;
}

/** Everything that the one server factory is made of; composed in `src/cli`. */
export interface ServerParts {
  readonly version: string;
  /** As generated, under the names that this process lists. */
  readonly tools: readonly ListedTool[];
  readonly instructions: string;
  readonly session: SessionFacts;
  /** Refuses operations that write; the list stays as it is. */
  readonly readOnly: boolean;
  /** Called with the first call or read of a resource, again after a failure. */
  load(): Promise<LoadedParts>;
  /** One line for standard error. */
  log(line: string): void;
}
