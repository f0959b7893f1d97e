import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { remember } from '../../../src/memory/index.ts';
import { isNearScore } from '../../../src/memory/near.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness, type MemoryHarness } from '../support/harness.ts';

const NOTE =
  'The retry helper backs off exponentially starting at 200 ms with full jitter and stops after six attempts because idempotency keys are mandatory for every POST request.';

function harness(lexical: boolean): MemoryHarness {
  const made = createHarness(temporaryFolder(), {
    embedder: createFakeEmbedder({ behaviour: lexical ? 'missing' : 'ready' }),
  });
  onTestFinished(() => made.close());
  return made;
}

function store({ runtime, context }: MemoryHarness, content: string, force = false) {
  return remember(runtime, context, { door: 'hooks', content, force });
}

describe.each([
  { mode: 'hybrid', lexical: false },
  { mode: 'lexical', lexical: true },
])('near-duplicates, $mode', ({ lexical }) => {
  it('M26 refuses a note with a word put in front', async () => {
    const memory = harness(lexical);
    const first = await store(memory, NOTE);
    const again = await store(memory, `Remember: ${NOTE}`);
    expect(again).toMatchObject({ status: 'near_duplicate', duplicateOf: first.id, message: 'near-duplicate exists' });
    expect(again.token).toMatch(/^pen_/);
    expect(again.dedup?.score).toBeGreaterThan(0.82);
  });

  it('M26 refuses a note without its first two words', async () => {
    const memory = harness(lexical);
    const first = await store(memory, NOTE);
    expect(await store(memory, NOTE.split(' ').slice(2).join(' '))).toMatchObject({
      status: 'near_duplicate',
      duplicateOf: first.id,
    });
  });

  it('stores a near-duplicate that is forced', async () => {
    const memory = harness(lexical);
    await store(memory, NOTE);
    const forced = await store(memory, `Remember: ${NOTE}`, true);
    expect(forced).toMatchObject({ status: 'stored', dedup: { decision: 'forced' }, total: 2 });
  });

  it.each([
    [
      'two versions',
      'Upgrading the proxy to v4.1.8 breaks websocket upgrades behind the load balancer in the staging setup.',
      'v4.1.8',
      'v4.1.9',
    ],
    [
      'two paths',
      'Uploads failed silently at the proxy until the body size was raised in infra/nginx/site.conf by the platform group.',
      'infra/nginx/site.conf',
      'infra/caddy/site.conf',
    ],
    [
      'opposite verbs',
      'When the queue is slow under load, increase the timeout of the worker pool before changing anything else there.',
      'increase',
      'decrease',
    ],
    [
      'opposite order',
      'Run the database migration before the deploy of the service because the new columns are read at start-up there.',
      'before',
      'after',
    ],
    [
      'two places',
      'The feature flag for the new search page has to be switched on in staging by the release manager each time.',
      'staging',
      'production',
    ],
  ])('M82 keeps both: %s', async (_, text, one, other) => {
    const memory = harness(lexical);
    expect((await store(memory, text)).status).toBe('stored');
    expect(await store(memory, text.replace(one, other))).toMatchObject({ status: 'stored', total: 2 });
  });

  it('M82 keeps both: swapped roles', async () => {
    const memory = harness(lexical);
    await store(
      memory,
      'The scheduler service calls the billing service over a queue and waits for its answer in the nightly job.',
    );
    const swapped = await store(
      memory,
      'The billing service calls the scheduler service over a queue and waits for its answer in the nightly job.',
    );
    expect(swapped).toMatchObject({ status: 'stored', total: 2 });
  });

  it('M82 keeps a statement and its opposite, and names the pair', async () => {
    const memory = harness(lexical);
    const first = await store(
      memory,
      'Enable connection pooling in the reporting service when the nightly export runs against the replica database.',
    );
    const opposite = await store(
      memory,
      'Do not enable connection pooling in the reporting service when the nightly export runs against the replica database.',
    );
    expect(opposite).toMatchObject({ status: 'stored', conflictsWith: [first.id], total: 2 });
  });

  it('M83 keeps another fix for the same error as an alternative', async () => {
    const memory = harness(lexical);
    const first = await store(
      memory,
      'ERROR-FIX: EADDRINUSE: address already in use 127.0.0.1:4410 | FIX: kill the stale dev server',
    );
    const second = await store(
      memory,
      'ERROR-FIX: EADDRINUSE: address already in use 127.0.0.1:4410 | FIX: bind port 0 in the tests',
    );
    expect(second).toMatchObject({ status: 'stored', alternatives: [first.id], total: 2 });
  });

  it('M83 keeps two short errors with the same boiler-plate', async () => {
    const memory = harness(lexical);
    await store(
      memory,
      "ERROR-FIX: error TS2345: Argument of type 'A' is not assignable | FIX: widen the parameter type",
    );
    const second = await store(
      memory,
      "ERROR-FIX: error TS2339: Argument of type 'A' is not assignable | FIX: widen the parameter type",
    );
    expect(second).toMatchObject({ status: 'stored', total: 2 });
  });
});

it('M3 takes 0.82 for no duplicate and 0.8201 for one', () => {
  expect(isNearScore(0.82)).toBe(false);
  expect(isNearScore(0.8201)).toBe(true);
});
