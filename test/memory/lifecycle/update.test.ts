import { describe, expect, it } from 'vitest';
import { updateEntry } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createCaller, learning, store } from '../operations/caller.ts';

describe('updating an entry by hand', () => {
  it('changes type, pin and tags, and keeps the old revision', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const answer = await updateEntry(caller.runtime, caller.context, {
      id,
      type: 'code',
      pinned: true,
      tags: ['auth'],
    });
    expect(answer).toMatchObject({ status: 'updated', revision: 2 });
    const [entry] = (await caller.call('memory_get', { ids: [id], detail: 'history' })).list('entries');
    expect(entry).toMatchObject({ type: 'code', pinned: true, tags: ['auth'] });
    expect(entry?.['revisions']).toHaveLength(2);
    expect(
      await updateEntry(caller.runtime, caller.context, { id, type: 'code', pinned: true, tags: ['auth'] }),
    ).toMatchObject({ status: 'unchanged', revision: 2 });
    await caller.close();
  });

  it('moves an error fix to another document, which is its home from then on', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = {
      source: 'debug',
      signal: 'verified',
      error: 'TypeError: x.map is not a function',
      fix: 'Use Array.from() on it first.',
    };
    const id = (await caller.call('memory_remember', { ...fix, source_path: 'docs/solutions/a.md' })).string('id');
    await updateEntry(caller.runtime, caller.context, { id, path: 'docs/solutions/b.md' });
    const updated = await caller.call('memory_remember', {
      ...fix,
      fix: 'Check Array.isArray() on it first.',
      source_path: 'docs/solutions/b.md',
    });
    expect(updated.body).toMatchObject({ status: 'updated', id });
    await caller.close();
  });

  it('refuses a text that another entry says already, an unknown id, and another kind', async () => {
    const caller = createCaller(temporaryFolder());
    const [one, two] = [await store(caller, 'login'), await store(caller, 'search')];
    const { context, insight, action } = learning('search');
    const same = `Context: ${context}\nInsight: ${insight}\nAction: ${action}`;
    await expect(updateEntry(caller.runtime, caller.context, { id: one, content: same })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(two) as string,
    });
    await expect(updateEntry(caller.runtime, caller.context, { id: 'mem_x', pinned: true })).rejects.toMatchObject({
      code: 'not_found',
    });
    const line = 'ERROR-FIX: TypeError: x is not a function | FIX: call the default export of x instead';
    await expect(updateEntry(caller.runtime, caller.context, { id: one, content: line })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await caller.close();
  });
});
