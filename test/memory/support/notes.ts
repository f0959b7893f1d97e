import { readFileSync } from 'node:fs';
import { draftOfContent } from '../../../src/memory/draft.ts';
import { remember } from '../../../src/memory/index.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import type { RecallAnswer, RecallRequest } from '../../../src/memory/recall/request.ts';
import { createEntry } from '../../../src/memory/remember/write-entry.ts';
import { embedWaiting } from '../../../src/memory/vectors/backlog.ts';
import type { MemoryHarness } from './harness.ts';

/** Stores a text by the old tool's door and gives its id; fails where it was not stored. */
export async function store(
  harness: MemoryHarness,
  content: string,
  more: { readonly force?: boolean } = {},
): Promise<string> {
  const answer = await remember(harness.runtime, harness.context, { door: 'hooks', content, ...more });
  if (answer.status !== 'stored' || answer.id === undefined) {
    throw new Error(`${answer.status}: ${answer.message ?? ''} ${content.slice(0, 60)}`);
  }
  return answer.id;
}

/** Stores many texts in one transaction, past the checks for repeats, with their vectors; the store must be there. */
export async function fill(harness: MemoryHarness, texts: readonly string[]): Promise<void> {
  const { ids, embedder, clock } = harness.runtime.deps;
  const { memory } = await harness.runtime.forWrite(harness.context, {});
  const at = clock.now();
  await memory.store.write((db) => {
    const context = { db, ids, at, actor: 'test', countTokens: (text: string) => embedder.countTokens(text) };
    for (const text of texts) {
      createEntry(context, draftOfContent(text, {}), {
        type: 'general',
        trust: 'agent',
        quality: true,
        provenance: { source: 'test', at },
      });
    }
  });
  await embedWaiting(harness.runtime, memory);
}

export function ask(harness: MemoryHarness, text: string, more: Partial<RecallRequest> = {}): Promise<RecallAnswer> {
  return recall(harness.runtime, harness.context, { door: 'memory', text, ...more });
}

/** The old tool's view: by score, without a floor. */
export function probe(harness: MemoryHarness, text: string, more: Partial<RecallRequest> = {}): Promise<RecallAnswer> {
  return recall(harness.runtime, harness.context, { door: 'hooks', text, ...more });
}

/** A file of `bench/data`. */
export function readOwnData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../bench/data/${name}`, import.meta.url), 'utf8')) as T;
}
