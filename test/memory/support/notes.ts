import { readFileSync } from 'node:fs';
import { remember } from '../../../src/memory/index.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import type { RecallAnswer, RecallRequest } from '../../../src/memory/recall/request.ts';
import type { MemoryHarness } from './harness.ts';

/** Stores a text by the old tool's door and gives its id; fails where it was not stored. */
export async function store(harness: MemoryHarness, content: string, more: { readonly force?: boolean } = {}): Promise<string> {
  const answer = await remember(harness.runtime, harness.context, { door: 'hooks', content, ...more });
  if (answer.status !== 'stored' || answer.id === undefined) {
    throw new Error(`${answer.status}: ${answer.message ?? ''} ${content.slice(0, 60)}`);
  }
  return answer.id;
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
