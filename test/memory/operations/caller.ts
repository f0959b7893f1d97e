import { callOperation, createCallGate, type OperationCatalog } from '../../../src/catalog/index.ts';
import type { RequestContext } from '../../../src/kernel/index.ts';
import { memoryOperations } from '../../../src/memory/operations.ts';
import { createHarness, type HarnessOptions, type MemoryHarness } from '../support/harness.ts';

/** The memory tools as a server calls them. */
const memoryCatalog: OperationCatalog = { operations: memoryOperations, replacements: {} };

export type Body = Readonly<Record<string, unknown>>;

/** A tool's answer as a client has it. */
export class Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly body: Body;

  constructor(result: { readonly isError: boolean; readonly text: string; readonly structured: Body }) {
    this.isError = result.isError;
    this.text = result.text;
    this.body = JSON.parse(JSON.stringify(result.structured)) as Body;
  }

  /** A member that must be a string, such as an id or a token. */
  string(name: string): string {
    const value = this.body[name];
    if (typeof value !== 'string')
      throw new Error(`"${name}" is ${JSON.stringify(value)} in ${JSON.stringify(this.body)}`);
    return value;
  }

  /** A member that must be a list of objects. */
  list(name: string): Body[] {
    const value = this.body[name];
    if (!Array.isArray(value)) throw new Error(`"${name}" is ${JSON.stringify(value)} in ${JSON.stringify(this.body)}`);
    return value as Body[];
  }

  get code(): unknown {
    return (this.body['error'] as Body | undefined)?.['code'];
  }
}

/** Calls a tool by name through the catalog: argument checks, limits, error shape and all. */
export interface Caller extends MemoryHarness {
  call(name: string, given?: Record<string, unknown>, context?: Partial<RequestContext>): Promise<Answer>;
}

export function withCalls(harness: MemoryHarness): Caller {
  return {
    ...harness,
    async call(name, given = {}, context = {}) {
      const faults: unknown[] = [];
      const result = await callOperation(memoryCatalog, name, given, {
        deps: { memory: harness.runtime },
        context: { ...harness.context, ...context },
        gate: createCallGate(),
        readOnly: false,
        onFault: (fault) => faults.push(fault),
      });
      // A defect must not pass as one more refusal.
      if (faults.length > 0) throw faults[0];
      return new Answer(result);
    },
  };
}

/** A harness in a temporary folder, with calls. */
export function createCaller(folder: string, options: Partial<HarnessOptions> = {}): Caller {
  return withCalls(createHarness(folder, options));
}

/** A learning that passes every gate; each `topic` makes another one. */
export function learning(topic: string): {
  source: string;
  signal: string;
  context: string;
  insight: string;
  action: string;
} {
  return {
    source: 'work',
    signal: 'insight',
    context: `The ${topic} module in src/${topic}/index.ts lost its settings after each restart of the server.`,
    insight: `Settings of ${topic} were read before the file of the user had been merged into them.`,
    action: `Call load${topic[0]?.toUpperCase()}${topic.slice(1)}() after the merge and add a test for it.`,
  };
}

/** Stores a learning and gives its id. */
export async function store(caller: Caller, topic: string): Promise<string> {
  const answer = await caller.call('memory_remember', learning(topic));
  if (answer.body['status'] !== 'stored') throw new Error(`not stored: ${answer.text}`);
  return answer.string('id');
}

/** The form of a cloud access key; belongs to nobody, and is put together so that no scanner takes it for one. */
export const FAKE_KEY = ['AKIA', 'Q3ZJ7XK2', 'MNB4VTRW'].join('');
