import { chmodSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { NOBODY, whyNotAsNobody } from '../support/other-user.ts';
import { createSandbox } from './support/run-cairn.ts';

describe('usage', () => {
  it('prints help without a command and for every command', async () => {
    const { run } = createSandbox();
    const help = await run([]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: cairn');
    const program = createProgram();
    for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
      expect(command.description(), command.name()).not.toBe('');
    }
  });

  it.each([
    { typed: ['remembr', 'x'], says: 'Did you mean remember?' },
    { typed: ['recall', '--keep', 'many', 'x'], says: '--keep must be a whole number from 1 to 10' },
    { typed: ['recall', '--workflow', 'nap', 'x'], says: 'must be one of' },
    { typed: ['recall'], says: "missing required argument 'query'" },
    { typed: ['remember'], says: 'Nothing to remember' },
    { typed: ['memory', 'forget'], says: 'cairn memory forget <id>' },
    { typed: ['memory', 'outcome', 'mem_x', 'great'], says: 'verdict must be one of' },
    { typed: ['memory', 'list', '--limit', '0'], says: '--limit must be a whole number from 1 to 100' },
  ])('says what to type instead of $typed', async ({ typed, says }) => {
    const { run } = createSandbox();
    const outcome = await run(typed);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain(says);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
  });

  it('says in an empty project that it is empty, and creates nothing', async () => {
    const { run } = createSandbox();
    for (const typed of [
      ['recall', 'anything at all'],
      ['memory', 'list'],
      ['status'],
      ['memory', 'backup', '--list'],
    ]) {
      const outcome = await run(typed);
      expect(outcome.code, typed.join(' ')).toBe(0);
      expect(outcome.stdout).toMatch(/nothing|no backups/i);
    }
    expect((await run(['project', 'show'])).stdout).toContain('made at the first write');
  });

  it('refuses the home folder and names the way out', async () => {
    const { run, home } = createSandbox();
    const outcome = await run(['remember', 'something that was learned'], { cwd: home });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('--project') });
  });

  it('refuses a mistyped --project rather than take another folder', async () => {
    const { run, project } = createSandbox();
    const outcome = await run(['remember', 'something that was learned', '--project', '/no/such/folder']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('/no/such/folder') });
    expect(readdirSync(project)).toEqual(['.git']);
  });

  it('gives one JSON document and the error in it', async () => {
    const { run, json } = createSandbox();
    expect(await json(['status'])).toMatchObject({ total: 0 });
    const failed = await run(['remember', '--json', '!!!']);
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: 'empty_content', field: 'content' } });
  });

  it('colours nothing where no terminal is, and never with NO_COLOR', async () => {
    const { run } = createSandbox();
    const plain = await run(['remember', 'The cache is cleared by make clean before each release build.']);
    expect(plain.stdout + plain.stderr).not.toContain('\u001b');
    const forced = await run(['status'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain('\u001b[');
    const none = await run(['status'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(none.stdout).not.toContain('\u001b');
  });

  it('offers completions for shells', async () => {
    const { run } = createSandbox();
    const script = await run(['complete', 'bash']);
    expect(script).toMatchObject({ code: 0, stdout: expect.stringContaining('cairn') });
    const words = await run(['complete', '--', 'mem']);
    expect(words.stdout).toContain('memory');
  });

  it('lists the tools and checks their budgets', async () => {
    const { run } = createSandbox();
    const outcome = await run(['catalog', '--check']);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('every rule and budget holds') });
    expect(outcome.stdout).toContain('memory_recall');
  });

  it('M56 warns of a variable that nothing reads', async () => {
    const { run } = createSandbox();
    expect((await run(['status'], { env: { CAIRN_X: '1' } })).stderr).toContain('CAIRN_X');
  });

  it('M107 says that a folder is read-only, and leaves nothing behind', async (context) => {
    const reason = whyNotAsNobody();
    context.skip(reason !== undefined, reason);
    const { run, project } = createSandbox();
    chmodSync(dirname(project), 0o755);
    const outcome = await run(['remember', 'anything that was learned here'], { uid: NOBODY });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/does not permit/);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect(readdirSync(project)).toEqual(['.git']);
  });
});
