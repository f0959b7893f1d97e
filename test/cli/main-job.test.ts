import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from './support/run-cairn.ts';

const NOTE =
  'Uploads larger than 6 MB failed silently at the proxy; nginx client_max_body_size had to be raised in infra/nginx/site.conf.';

describe('the main job on the command line', () => {
  it('recalls in a second process what a first one stored, by a paraphrase, with score and origin', async () => {
    const { run, project } = createSandbox();
    const ready = await run(['init', '--no-link']);
    expect(ready).toMatchObject({ code: 0, stdout: expect.stringContaining('.cairn/memory.db') });
    const stored = await run(['remember', NOTE]);
    expect(stored.code).toBe(0);
    expect(stored.stdout).toMatch(/^Stored mem_\w{26} as general; 1 in this project$/m);
    const found = await run(['recall', 'big attachments vanish at the reverse proxy without an error']);
    expect(found.code).toBe(0);
    expect(found.stdout).toMatch(/^0\.\d\d {2}mem_/m);
    expect(found.stdout).toContain(NOTE);
    expect(found.stdout).toContain('from manual, main, trust person');
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: project, encoding: 'utf8' })).toBe('');
  });

  it('prints the finished block for a prompt, and nothing where nothing passes', async () => {
    const { run } = createSandbox();
    await run(['remember', NOTE]);
    const block = await run(['recall', '--block', '--workflow', 'work', 'nginx body size for uploads']);
    expect(block.stdout).toMatch(/^<reflexion_context>\n<advisory>Past implementation findings/);
    const nothing = await run(['recall', '--block', 'medieval castle siege tactics']);
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
  });

  it('finds the fix of an error that is piped in', async () => {
    const { run } = createSandbox();
    await run([
      'remember',
      '--error',
      'EADDRINUSE: address already in use 127.0.0.1:4410',
      '--fix',
      'bind port 0 in the tests',
    ]);
    const log = `npm test\n  starting\nError: listen EADDRINUSE: address already in use 127.0.0.1:9991\n    at Server.setupListenHandle (node:net:1817:16)\n`;
    const found = await run(['recall', '--workflow', 'debug', '-'], { input: log });
    expect(found.stdout).toContain('bind port 0 in the tests');
  });

  it('keeps the store out of the way: one folder with one ignore file', async () => {
    const { run, project } = createSandbox();
    await run(['remember', NOTE]);
    expect(readdirSync(join(project, '.cairn'))).toEqual(
      expect.arrayContaining(['.gitignore', 'memory.db', 'store.json']),
    );
  });
});

describe('entries on the command line', () => {
  it('lists, shows, forgets and brings back', async () => {
    const { run, json } = createSandbox();
    const { id } = await json<{ id: string }>(['remember', NOTE]);
    expect((await run(['memory', 'list'])).stdout).toContain(id);
    expect((await run(['memory', 'show', id])).stdout).toContain('event');
    expect(await run(['memory', 'forget', id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Forgotten'),
    });
    expect((await run(['recall', 'nginx uploads'])).stdout).not.toContain(NOTE);
    expect(await run(['memory', 'forget', '--restore', id])).toMatchObject({ code: 0 });
    expect((await run(['recall', 'nginx uploads'])).stdout).toContain(NOTE);
  });

  it('asks for --yes before it erases where nobody can be asked', async () => {
    const { run, json } = createSandbox();
    const { id } = await json<{ id: string }>(['remember', NOTE]);
    const refused = await run(['memory', 'forget', '--erase', id]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run(['memory', 'forget', '--erase', '--yes', id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Erased'),
    });
  });

  it('decides about a near-duplicate by its token', async () => {
    const { run, json } = createSandbox();
    const first = await json<{ id: string }>(['remember', NOTE]);
    const near = await json<{ status: string; token: string }>(['remember', `Remember: ${NOTE}`]);
    expect(near.status).toBe('near_duplicate');
    expect(await run(['memory', 'confirm', near.token, '--supersede'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(first.id),
    });
    expect(await run(['memory', 'confirm', near.token])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('used before'),
    });
  });

  it('takes an export into an empty project with the same ids', async () => {
    const one = createSandbox();
    const other = createSandbox();
    const { id } = await one.json<{ id: string }>(['remember', NOTE]);
    const file = join(one.home, 'memory.jsonl');
    expect(await one.run(['memory', 'export', file])).toMatchObject({ code: 0 });
    expect(await other.run(['memory', 'import', file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 new'),
    });
    expect((await other.run(['memory', 'list'])).stdout).toContain(id);
  });

  it('goes back to a backup', async () => {
    const { run } = createSandbox();
    await run(['remember', NOTE]);
    expect(await run(['memory', 'backup'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Backed up') });
    await run([
      'remember',
      'The staging cluster restarts each Sunday at 03:00 UTC, so load tests must not span that window.',
    ]);
    expect(await run(['memory', 'restore', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 entries'),
    });
    expect((await run(['memory', 'list'])).stdout).toContain('1 of 1');
  });
});

describe('links for commands that test for .ruvector', () => {
  it('M47 makes the folder test true in the main checkout and in a linked worktree', async () => {
    const { run, json, project } = createSandbox();
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'first'],
      { cwd: project },
    );
    const worktree = join(project, '..', 'worktree');
    execFileSync('git', ['worktree', 'add', '--quiet', worktree], { cwd: project });
    await run(['init', '--link']);
    await run(['project', 'link'], { cwd: worktree });
    for (const folder of [project, worktree]) expect(existsSync(join(folder, '.ruvector'))).toBe(true);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: worktree, encoding: 'utf8' })).toBe('');
    expect((await json<{ storePath: string }>(['project', 'show'])).storePath.startsWith(project)).toBe(true);
  });
});

it('M51 takes in what the old engine left, before it answers', async () => {
  const { run, project } = createSandbox();
  mkdirSync(join(project, '.ruvector'));
  const memories = [{ content: NOTE, type: 'context', created: '2026-01-02T03:04:05.000Z' }];
  writeFileSync(join(project, '.ruvector/intelligence.json'), JSON.stringify({ memories }));
  const found = await run(['recall', 'nginx body size for uploads']);
  expect(found.stdout).toContain(NOTE);
});
