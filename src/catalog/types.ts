import type { ErrorShape, Operation } from '../kernel/index.ts';

/** A JSON Schema as it goes over the wire. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The four hints of the protocol, always all set: its defaults are pessimistic. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One entry of `tools/list`, exactly as it is sent. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly _meta?: { readonly [key: string]: unknown };
}

/**
 * All operations in the order in which they are listed. Each entry has the `deps` of its own room; the object that is
 * handed to {@link callOperation} has to satisfy all of them.
 */
export interface OperationCatalog {
  readonly operations: readonly Operation[];
  /** Names that older tools had, to what replaces each; a trailing `*` stands for any ending. */
  readonly replacements: Readonly<Record<string, string>>;
}

/** What a call gives to every surface; `structured` of a failed call is `{error}`, with `success: false` where the operation has that field. */
export interface CallResult {
  readonly structured: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** The structure of a call that threw. */
export interface FailedStructure {
  readonly success?: false;
  readonly error: ErrorShape;
}
