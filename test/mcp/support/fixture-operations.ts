import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { OperationCatalog } from '../../../src/catalog/index.ts';
import { CairnError, defineOperation, type Effects, systemClock } from '../../../src/kernel/index.ts';
import { type Migration, openStore, type Store } from '../../../src/storage/index.ts';

/** What the fixture operations are handed. */
export interface FixtureDeps {
  /** A folder that the tests own. */
  readonly folder: string;
  store(): Promise<Store>;
}

const READS: Effects = { network: false, localWrite: false, process: false, destructive: false, idempotent: true };
const WRITES: Effects = { ...READS, localWrite: true, idempotent: false };
const LIMITS = { inputBytes: 4_096, outputChars: 24_000, requests: 0 };

const echo = defineOperation({
  name: 'fixture_echo',
  dottedName: 'fixture.echo',
  title: 'Echo',
  description: 'Gives the text back.',
  input: z.strictObject({
    text: z.string().min(1).max(200).describe('What to give back.'),
    times: z.coerce.number().int().min(1).max(5).default(1).describe('How often.'),
    style: z.enum(['plain', 'loud']).optional(),
  }),
  output: z.object({ success: z.boolean(), text: z.string() }),
  effects: READS,
  limits: LIMITS,
  alwaysLoad: true,
  async run({ input }) {
    const text = Array.from({ length: input.times }, () => input.text).join(' ');
    return { structured: { success: true, text: input.style === 'loud' ? text.toUpperCase() : text } };
  },
});

const context = defineOperation({
  name: 'fixture_context',
  title: 'Context',
  description: 'Tells what the server knows about the request.',
  input: z.strictObject({}),
  output: z.object({
    roots: z.array(z.string()),
    working_directory: z.string(),
    host: z.string().optional(),
    project: z.string().optional(),
    client: z.string().optional(),
  }),
  effects: READS,
  limits: LIMITS,
  async run({ context: request }) {
    return {
      structured: {
        roots: [...request.roots],
        working_directory: request.workingDirectory,
        ...(request.hostProjectDirectory === undefined ? {} : { host: request.hostProjectDirectory }),
        ...(request.projectArgument === undefined ? {} : { project: request.projectArgument }),
        ...(request.client === undefined ? {} : { client: request.client.name }),
      },
    };
  },
});

const write = defineOperation<FixtureDeps, z.ZodObject<{ rows: z.ZodDefault<z.ZodInt> }>, z.ZodObject>({
  name: 'fixture_write',
  title: 'Write',
  description: 'Writes rows, one flushed transaction each, until it is done or cancelled.',
  input: z.strictObject({ rows: z.int().min(1).max(100_000).default(1) }),
  output: z.object({ written: z.int() }),
  effects: WRITES,
  limits: LIMITS,
  async run({ deps, input, context: request }) {
    const store = await deps.store();
    let written = 0;
    while (written < input.rows && !request.signal.aborted) {
      await store.write((db) => db.run('INSERT INTO note (body) VALUES (?)', [`row ${written}`]));
      written++;
      if (written === 1) process.stderr.write('first row\n');
      // A write that waits for no lock ends within the same turn; signals and timers need turns of their own
      await nextTurn();
    }
    return { structured: { written } };
  },
});

const slow = defineOperation({
  name: 'fixture_slow',
  title: 'Slow',
  description: 'Takes a while and reports progress.',
  input: z.strictObject({ ms: z.int().min(0).max(60_000) }),
  output: z.object({ done: z.boolean() }),
  effects: READS,
  limits: LIMITS,
  async run({ input, context: request }) {
    process.stderr.write('slow started\n');
    request.progress?.(0, 2, 'begun');
    const signal = request.signal;
    const finished = await sleep(input.ms, true, { signal }).catch(() => false);
    if (!finished) {
      process.stderr.write('slow aborted\n');
      throw new CairnError('cancelled', 'The call was cancelled.');
    }
    request.progress?.(2, 2, 'ended');
    // A client that reads the last progress and the answer in one go drops the progress
    await sleep(50);
    return { structured: { done: true } };
  },
});

const fail = defineOperation({
  name: 'fixture_fail',
  title: 'Fail',
  description: 'Fails in one of three ways.',
  input: z.strictObject({ how: z.enum(['coded', 'thrown', 'told']) }),
  output: z.object({ success: z.boolean(), reason: z.string().optional() }),
  effects: READS,
  limits: LIMITS,
  async run({ input }) {
    if (input.how === 'told') return { structured: { success: false, reason: 'told' }, isError: true };
    if (input.how === 'thrown') throw new Error('the secret inside');
    throw new CairnError('not_found', 'Nothing has the id "x".', {
      field: 'id',
      repair: { operation: 'fixture_echo', arguments: { text: 'x' }, requests: 0 },
    });
  },
});

const noisy = defineOperation({
  name: 'fixture_noisy',
  title: 'Noisy',
  description: 'Prints to standard output in every way that a dependency might.',
  input: z.strictObject({}),
  output: z.object({ printed: z.boolean() }),
  effects: READS,
  limits: LIMITS,
  async run() {
    console.log('noise: log');
    console.info('noise: info');
    console.dir({ noise: 'dir' });
    console.table([{ noise: 'table' }]);
    console.group('noise: group');
    console.groupEnd();
    process.stdout.write('noise: write\n');
    await once(new Worker(`console.log('noise: worker')`, { eval: true }), 'exit');
    process.stdout.end('noise: end\n');
    return { structured: { printed: true } };
  },
});

/** Room-like operations for tests of the catalog and the server. */
export const fixtureCatalog: OperationCatalog = {
  operations: [echo, context, write, slow, fail, noisy],
  replacements: { fixture_old: 'fixture_echo', 'fixture_error_*': 'fixture_fail' },
};

/** Deps over a real store in `folder`, opened with the first write. */
export function createFixtureDeps(folder: string): FixtureDeps & { close(): void } {
  let pending: Promise<Store> | undefined;
  let opened: Store | undefined;
  async function open(): Promise<Store> {
    const notes: Migration = {
      version: 0,
      name: 'notes',
      apply: (db) => db.exec('CREATE TABLE note (body TEXT NOT NULL)'),
    };
    const path = `${folder}/fixture.db`;
    opened = await openStore({ path, mode: 'create', clock: systemClock, migrations: [notes] });
    return opened;
  }
  return {
    folder,
    store() {
      pending ??= open();
      return pending;
    },
    close: () => opened?.close(),
  };
}
