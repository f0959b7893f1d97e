import { describe, expect, it } from 'vitest';
import type { ResourceProvider } from '../../../src/mcp/index.ts';
import { createMemoryResources } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createCaller, store } from '../operations/caller.ts';

describe('entries as resources', () => {
  it('are listed newest first and read whole, longer than any answer', async () => {
    const caller = createCaller(temporaryFolder());
    const text = Array.from({ length: 6_000 }, (_, n) => `<word${n}>`).join(' ');
    const long = (await caller.call('hooks_remember', { content: text })).string('id');
    caller.clock.advance(1);
    const id = await store(caller, 'login');
    const resources: ResourceProvider = createMemoryResources(async () => caller.runtime);
    expect(resources.templates().map(({ uriTemplate }) => uriTemplate)).toEqual(['cairn://memory/{id}']);
    const page = await resources.list(caller.context);
    expect(page.resources.map(({ uri }) => uri)).toEqual([`cairn://memory/${id}`, `cairn://memory/${long}`]);
    const read = await resources.read(`cairn://memory/${long}`, caller.context);
    const entry = JSON.parse(read?.text ?? '{}') as { content: string; revisions: unknown[] };
    expect(entry.content).toBe(text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    expect(entry.revisions).toHaveLength(1);
    await caller.close();
  });

  it('are none for an unknown id, a forgotten one and another address', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await caller.call('memory_forget', { ids: [id], mode: 'retract' });
    const resources = createMemoryResources(async () => caller.runtime);
    for (const uri of [
      `cairn://memory/${id}`,
      'cairn://memory/mem_none',
      'cairn://memory/../x',
      'file:///etc/passwd',
    ]) {
      expect(await resources.read(uri, caller.context), uri).toBeUndefined();
    }
    await caller.close();
  });
});
