/** What a surface knows about one call. Rooms read it; only `src/cli` and `src/mcp` make it. */
export interface RequestContext {
  /** Aborted when the caller gives up or the process stops. */
  readonly signal: AbortSignal;
  readonly surface: 'mcp' | 'cli' | 'web';
  /** The process's working folder, absolute. */
  readonly workingDirectory: string;
  /** Folders that the session works in, as the client gave them, absolute; empty where it gave none. */
  readonly roots: readonly string[];
  /** The host's own variable for the project (`CAIRN_PROJECT_DIR`, `CLAUDE_PROJECT_DIR`). */
  readonly hostProjectDirectory?: string;
  /** The `--project` argument of the process. */
  readonly projectArgument?: string;
  /** The host's session id, at most 128 characters; groups recalls and outcomes. */
  readonly session?: string;
  /** The client program, as it names itself. */
  readonly client?: { readonly name: string; readonly version: string };
  /** Reports progress of a call that takes over a second; `total` where it is known. */
  readonly progress?: (done: number, total?: number, message?: string) => void;
}
