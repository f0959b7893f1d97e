import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { location } from 'cairn-minilm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createMiniLmEmbedder,
  type Embedder,
  type MiniLmOptions,
  type WeightsLocation,
} from '../../src/embedding/index.ts';
import { ManualClock } from '../../src/kernel/index.ts';
import { type BuiltRoom, buildRoom } from './built-worker.ts';
import { describeEmbedder } from './embedder.contract.ts';

const CRASH_ONCE = fileURLToPath(new URL('fixtures/crash-once-worker.mjs', import.meta.url));

let built: BuiltRoom;
let folder: string;
const open: Embedder[] = [];

function create(options: Partial<MiniLmOptions> = {}): Embedder {
  const embedder = createMiniLmEmbedder({
    resolveWeights: () => location,
    workerPath: built.workerPath,
    clock: new ManualClock(),
    cacheDirectory: folder,
    ...options,
  });
  open.push(embedder);
  return embedder;
}

/** A copy of the weights under the test's own folder, to be spoiled. */
function copyWeights(): WeightsLocation {
  const weights = join(folder, 'weights.bin');
  copyFileSync(location.weights, weights);
  return { ...location, weights };
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

beforeAll(async () => {
  built = await buildRoom();
  folder = mkdtempSync(join(tmpdir(), 'cairn-embedder-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((embedder) => embedder.close()));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await built.remove();
});

describeEmbedder('MiniLM in its worker', () => create());

describe('the life of the worker', () => {
  it('starts with the first call and not before', async () => {
    const embedder = create();
    expect(embedder.space()?.parts.dimension).toBe(384);
    expect(embedder.countTokens('a few words')).toBe(5);
    expect(embedder.state()).toBe('cold');
    embedder.warm();
    expect(embedder.state()).toBe('warming');
    await embedder.embed(['text'], { priority: 'query' });
    expect(embedder.state()).toBe('ready');
  });

  it('ends when it has been idle, and starts again for the next text', async () => {
    const embedder = create({ idleMs: 30 });
    const [first] = await embedder.embed(['text'], { priority: 'query' });
    await until(() => embedder.state() === 'cold');
    const [second] = await embedder.embed(['text'], { priority: 'query' });
    expect(second).toEqual(first);
  });

  it('ends also when it was only warmed', async () => {
    const embedder = create({ idleMs: 30 });
    embedder.warm();
    await until(() => embedder.state() === 'cold');
  });

  it('lets a query overtake a background batch', async () => {
    const embedder = create();
    const order: string[] = [];
    const note = (name: string) => (): unknown => order.push(name);
    const texts = Array.from({ length: 40 }, (_, i) => `${'stone '.repeat(90)}${i}`);
    const batch = embedder.embed(texts, { priority: 'background' }).then(note('batch'));
    await embedder.embed(['short'], { priority: 'query' }).then(note('query'));
    await batch;
    expect(order).toEqual(['query', 'batch']);
  });

  it('gives up a cancelled batch and goes on with the rest', async () => {
    const embedder = create();
    const abort = new AbortController();
    const texts = Array.from({ length: 200 }, () => 'stone '.repeat(200));
    const batch = embedder.embed(texts, { priority: 'background', signal: abort.signal });
    const query = embedder.embed(['short'], { priority: 'query' });
    abort.abort();
    await expect(batch).rejects.toMatchObject({ code: 'cancelled' });
    expect(await query).toHaveLength(1);
  });

  it('fails the waiting calls when it crashes, waits a little, and comes back by itself', async () => {
    const clock = new ManualClock();
    const cacheDirectory = mkdtempSync(join(folder, 'crash-'));
    writeFileSync(join(cacheDirectory, 'real-worker'), built.workerPath);
    const embedder = create({ workerPath: CRASH_ONCE, cacheDirectory, clock });
    const calls = [embedder.embed(['one'], { priority: 'query' }), embedder.embed(['two'], { priority: 'background' })];
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ reason: { code: 'embedder_failed' } });
    expect(embedder.state()).toBe('failed');
    await expect(embedder.embed(['too soon'], { priority: 'query' })).rejects.toMatchObject({
      code: 'embedder_failed',
    });
    clock.advance(250);
    expect(embedder.state()).toBe('cold');
    expect(await embedder.embed(['again'], { priority: 'query' })).toHaveLength(1);
    expect(embedder.state()).toBe('ready');
  });

  it('never keeps the process alive, but answers what the process waits for', async () => {
    const script = join(folder, 'child.mjs');
    writeFileSync(
      script,
      `import { createMiniLmEmbedder } from ${JSON.stringify(pathToFileURL(built.modulePath).href)};
      const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} };
      const embedder = createMiniLmEmbedder({ resolveWeights: () => (${JSON.stringify(location)}), workerPath: ${JSON.stringify(built.workerPath)}, clock });
      embedder.warm();
      const [text] = await embedder.embed(['text'], { priority: 'query' });
      console.log(text.vector.length);`,
    );
    // No close: an idle worker that held the process would run into the limit.
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 20_000 });
    expect(stdout.trim()).toBe('384');
  });
  it('returns the memory of the model when it ends', async () => {
    const script = join(folder, 'memory.mjs');
    writeFileSync(
      script,
      `import { createMiniLmEmbedder } from ${JSON.stringify(pathToFileURL(built.modulePath).href)};
      const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} };
      const options = { resolveWeights: () => (${JSON.stringify(location)}), workerPath: ${JSON.stringify(built.workerPath)}, clock };
      const rounds = [];
      for (let round = 0; round < 4; round++) {
        const embedder = createMiniLmEmbedder(options);
        await embedder.embed(['stone '.repeat(300)], { priority: 'query' });
        const open = process.memoryUsage.rss();
        await embedder.close();
        await new Promise((resolve) => setTimeout(resolve, 200));
        rounds.push({ open, closed: process.memoryUsage.rss() });
      }
      console.log(JSON.stringify(rounds));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 });
    const rounds = JSON.parse(stdout) as { open: number; closed: number }[];
    // The encoder's memory alone has 14 MB. Later workers use again what the first one took.
    for (const { open: used, closed } of rounds) expect(used - closed).toBeGreaterThan(10e6);
    expect((rounds.at(-1)?.closed ?? 0) - (rounds[0]?.closed ?? 0)).toBeLessThan(10e6);
  });
});

describe('weights that are not as they should be', () => {
  it('M66: missing weights are a coded error, looked for again with back-off, and picked up without a restart', async () => {
    const clock = new ManualClock();
    let found: WeightsLocation | undefined;
    let lookups = 0;
    const resolveWeights = (): WeightsLocation | undefined => {
      lookups++;
      return found;
    };
    const embedder = create({ resolveWeights, clock });
    expect(embedder.state()).toBe('missing');
    expect(embedder.space()).toBeUndefined();
    expect(embedder.countTokens('text')).toBeUndefined();
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({
      code: 'embedder_missing',
      repair: { command: 'npm install cairn-minilm' },
    });
    expect(lookups).toBe(1);
    found = location;
    expect(embedder.state()).toBe('missing');
    clock.advance(250);
    expect(embedder.state()).toBe('cold');
    expect(await embedder.embed(['text'], { priority: 'query' })).toHaveLength(1);
    expect(lookups).toBe(2);
  });

  it('a truncated file is refused before a worker starts, and a good one is taken up later', async () => {
    const clock = new ManualClock();
    const copy = copyWeights();
    truncateSync(copy.weights, 20_000_000);
    const embedder = create({ resolveWeights: () => copy, clock });
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code: 'embedder_damaged' });
    expect(embedder.state()).toBe('damaged');
    expect(embedder.space()).toBeUndefined();
    copyFileSync(location.weights, copy.weights);
    clock.advance(60_000);
    expect(await embedder.embed(['text'], { priority: 'query' })).toHaveLength(1);
  });

  it('a file with another magic is refused', async () => {
    const weights = join(folder, 'foreign.bin');
    writeFileSync(weights, Buffer.alloc(4_096, 'GGUF'));
    const embedder = create({ resolveWeights: () => ({ ...location, weights }) });
    expect(embedder.state()).toBe('damaged');
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code: 'embedder_damaged' });
  });

  it('one changed byte is refused by the worker, with a message that names the file', async () => {
    const copy = copyWeights();
    const file = await openFile(copy.weights, 'r+');
    await file.write(Buffer.from([1, 2, 3, 4]), 0, 4, 12_345_678);
    await file.close();
    const embedder = create({ resolveWeights: () => copy, cacheDirectory: mkdtempSync(join(folder, 'cache-')) });
    expect(embedder.state()).toBe('cold');
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({
      code: 'embedder_damaged',
      message: expect.stringContaining(copy.weights),
    });
    expect(embedder.state()).toBe('damaged');
  });

  it('a passed check is remembered for exactly this file, by size and modification time', async () => {
    const copy = copyWeights();
    const cacheDirectory = mkdtempSync(join(folder, 'cache-'));
    const first = create({ resolveWeights: () => copy, cacheDirectory });
    await first.embed(['text'], { priority: 'query' });
    await first.close();
    // Swapped for another of the same size: noticed, because the modification time differs.
    const file = await openFile(copy.weights, 'r+');
    await file.write(Buffer.from([1, 2, 3, 4]), 0, 4, 20_000_000);
    await file.close();
    utimesSync(copy.weights, 1_000, 1_000);
    const second = create({ resolveWeights: () => copy, cacheDirectory });
    await expect(second.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code: 'embedder_damaged' });
  });

  it('a vocabulary that is not the published one is refused', async () => {
    const vocabulary = join(folder, 'vocab.txt');
    writeFileSync(vocabulary, '[PAD]\n[UNK]\n[CLS]\n[SEP]\n');
    const embedder = create({ resolveWeights: () => ({ ...location, vocabulary }) });
    await expect(embedder.embed(['text'], { priority: 'query' })).rejects.toMatchObject({ code: 'embedder_damaged' });
  });
});
