import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createCaller, FAKE_KEY, learning, store } from '../operations/caller.ts';

const ERROR = "TypeError: Cannot read properties of undefined (reading 'port')";
const QUERY = { workflow: 'debug', error: ERROR };

describe('memory_outcome', () => {
  it('M42: two failures make an entry suspect and rank it after its alternative; a success clears it', async () => {
    const caller = createCaller(temporaryFolder());
    const fix = async (text: string): Promise<string> =>
      (await caller.call('memory_remember', { source: 'debug', signal: 'verified', error: ERROR, fix: text })).string(
        'id',
      );
    await fix('Read the port from config.json before the server starts listening.');
    await fix('Await loadSettings() in src/server.ts, it returns a promise since version 4.');
    const order = async (): Promise<unknown[]> =>
      (await caller.call('memory_recall', QUERY)).list('findings').map(({ id }) => id);
    // Whichever of the two leads is the one that fails.
    const [second, first] = await order();
    expect(first).toBeDefined();

    const failed = await caller.call('memory_outcome', { id: second, verdict: 'failed', session: 'a' });
    expect(failed.body).toMatchObject({ status: 'recorded', suspect: false, outcomes: { worked: 0, failed: 1 } });
    const again = await caller.call('memory_outcome', { id: second, verdict: 'failed', session: 'a' });
    expect(again.body).toMatchObject({ status: 'unchanged', suspect: false, outcomes: { worked: 0, failed: 1 } });
    const other = await caller.call('memory_outcome', { id: second, verdict: 'failed', session: 'b' });
    expect(other.body).toMatchObject({ suspect: true, outcomes: { worked: 0, failed: 2 } });
    expect(await order()).toEqual([first, second]);
    expect((await caller.call('memory_get', { queue: 'suspect' })).list('entries').map(({ id }) => id)).toEqual([
      second,
    ]);

    const cleared = await caller.call('memory_outcome', { id: second, verdict: 'worked', session: 'b' });
    expect(cleared.body).toMatchObject({ suspect: false, outcomes: { worked: 1, failed: 2 } });
    await caller.close();
  });

  it('M42: obsolete with replaced_by closes and supersedes', async () => {
    const caller = createCaller(temporaryFolder());
    const [old, now] = [await store(caller, 'login'), await store(caller, 'search')];
    const answer = await caller.call('memory_outcome', { id: old, verdict: 'obsolete', replaced_by: now });
    expect(answer.body).toMatchObject({ status: 'recorded', state: 'superseded', superseded_by: now });
    const again = await caller.call('memory_remember', learning('login'));
    expect(again.body).toMatchObject({ status: 'rejected' });
    expect(again.code).toBe('superseded');
    await caller.close();
  });

  it('M43: a closed entry is not recalled, is shown with include_closed, and comes back by reopen', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const recalled = async (more = {}): Promise<unknown[]> =>
      (await caller.call('memory_recall', { text: 'login module lost its settings after restart', ...more }))
        .list('findings')
        .map((finding) => finding['id']);
    expect(await recalled()).toEqual([id]);
    expect((await caller.call('memory_outcome', { id, verdict: 'obsolete' })).body).toMatchObject({ state: 'closed' });
    expect(await recalled()).toEqual([]);
    expect(await recalled({ include_closed: true })).toEqual([id]);
    expect((await caller.call('memory_outcome', { id, verdict: 'obsolete' })).body).toMatchObject({
      status: 'unchanged',
    });
    expect((await caller.call('memory_outcome', { id, verdict: 'reopen' })).body).toMatchObject({
      status: 'recorded',
      state: 'active',
    });
    expect(await recalled()).toEqual([id]);
    await caller.close();
  });

  it('M43: as_of before a supersede gives the old text', async () => {
    const caller = createCaller(temporaryFolder());
    const old = await store(caller, 'login');
    caller.clock.advance(60_000);
    const between = new Date(caller.clock.now()).toISOString();
    caller.clock.advance(60_000);
    const now = (await caller.call('memory_remember', { ...learning('session'), supersedes: [old] })).string('id');
    const ask = async (more = {}): Promise<unknown[]> =>
      (await caller.call('memory_recall', { text: 'login module lost its settings after restart', ...more }))
        .list('findings')
        .map((finding) => finding['id']);
    expect(await ask({ as_of: between })).toEqual([old]);
    expect(await ask()).not.toContain(old);
    expect((await caller.call('memory_get', { ids: [now] })).list('entries')).toMatchObject([{ state: 'active' }]);
    await caller.close();
  });

  it('repeats the first answer for the same event id and counts nothing more', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    const given = { id, verdict: 'failed', event_id: 'evt-1' };
    const anonymous = { session: undefined } as never;
    const first = await caller.call('memory_outcome', given, anonymous);
    const second = await caller.call('memory_outcome', given, anonymous);
    expect(second.body).toMatchObject({ status: 'recorded', replayed: true, outcomes: { worked: 0, failed: 1 } });
    expect(first.body['replayed']).toBeUndefined();
    expect((await caller.call('memory_get', { ids: [id] })).list('entries')).toMatchObject([
      { outcomes: { failed: 1 } },
    ]);
    await caller.close();
  });

  it('redacts and cleans the note before it is kept', async () => {
    const caller = createCaller(temporaryFolder());
    const id = await store(caller, 'login');
    await caller.call('memory_outcome', { id, verdict: 'worked', note: `used ${FAKE_KEY}\u202e here` });
    const [entry] = (await caller.call('memory_get', { ids: [id], detail: 'history' })).list('entries');
    const log = entry?.['outcome_log'] as { note: string }[];
    expect(log[0]?.note).toMatch(/^used \[redacted:[a-z0-9_-]+\] here$/);
    await caller.close();
  });

  it('refuses an unknown id, a replacement that is none, and replaced_by with another verdict', async () => {
    const caller = createCaller(temporaryFolder());
    expect((await caller.call('memory_outcome', { id: 'mem_none', verdict: 'worked' })).code).toBe('not_found');
    const id = await store(caller, 'login');
    expect((await caller.call('memory_outcome', { id: 'mem_none', verdict: 'worked' })).code).toBe('not_found');
    expect((await caller.call('memory_outcome', { id, verdict: 'obsolete', replaced_by: 'mem_none' })).code).toBe(
      'not_found',
    );
    expect((await caller.call('memory_outcome', { id, verdict: 'obsolete', replaced_by: id })).code).toBe(
      'invalid_input',
    );
    expect((await caller.call('memory_outcome', { id, verdict: 'worked', replaced_by: id })).code).toBe(
      'invalid_input',
    );
    await caller.close();
  });
});
