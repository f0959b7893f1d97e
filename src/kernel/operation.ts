import type { z } from 'zod';
import type { RequestContext } from './context.ts';

/** What a call may do to the world. The MCP annotations and the read-only mode are derived from this. */
export interface Effects {
  /** Reaches other machines. */
  readonly network: boolean;
  /** Changes files or the store. */
  readonly localWrite: boolean;
  /** Starts another program. */
  readonly process: boolean;
  /** May remove or overwrite what was there. */
  readonly destructive: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
}

/** The bounds of one operation; `requests` is the most network requests of one call. */
export interface OperationLimits {
  /** Bytes of the arguments as JSON. */
  readonly inputBytes: number;
  /** Characters of the text or of the structure as JSON, whichever is longer. */
  readonly outputChars: number;
  readonly requests: number;
}

export interface OperationCall<Deps, Input> {
  readonly deps: Deps;
  readonly context: RequestContext;
  readonly input: Input;
}

export interface OperationAnswer<Output> {
  readonly structured: Output;
  /** The same for a reader without the structure; the adapter takes the structure's JSON where it is left out. */
  readonly text?: string;
  /** The call was refused or failed as its statuses say; the structure still validates. */
  readonly isError?: boolean;
}

/**
 * One capability. Tools, annotations, read-only mode, reference pages, budgets and the fingerprint are derived from
 * this record and written nowhere else.
 */
export interface Operation<
  Deps = never,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** `[a-z0-9_]`, at most 39 characters: hosts prefix it and cut at 64. */
  readonly name: string;
  readonly title: string;
  /** One paragraph: what it does, when to call it, what comes back. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly effects: Effects;
  readonly limits: OperationLimits;
  /** The dotted name of the requirement documents, accepted in calls. */
  readonly dottedName?: string;
  /** Hosts that defer tools should load this one at once. */
  readonly alwaysLoad?: boolean;
  run(call: OperationCall<Deps, z.output<Input>>): Promise<OperationAnswer<z.input<Output>>>;
}

/** Types a record where it is written, so that `run` sees the schemas' types. */
export function defineOperation<Deps, Input extends z.ZodObject, Output extends z.ZodObject>(
  operation: Operation<Deps, Input, Output>,
): Operation<Deps, Input, Output> {
  return operation;
}
