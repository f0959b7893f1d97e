import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createCaller, FAKE_KEY, learning, store } from '../operations/caller.ts';

/** Made up here, in the forms of real ones; put together so that no scanner takes them for some. */
const SECRETS: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  'access key': [FAKE_KEY, FAKE_KEY],
  'forge token': of(['ghp', '_', 'x7Kq2Zt9Wm4Rb8Lp3Vn6Yc1Sd5Fg0Hj2Ak7T'].join('')),
  'registry token': of(['npm', '_', 'Zk3Vt8Qm1Xr6Lw9Pb4Ny7Hc2Jd5Fs0GaTe8U'].join('')),
  'web token': of(
    ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiI5ODc2NTQzMjEwIn0', 'Q2x7Zk3Vt8Qm1Xr6Lw9Pb4Ny7Hc2Jd5Fs0GaTe8Uhk4'].join('.'),
  ),
  'password in an address': ['postgres://ana:kV7qT2xZ9w@db.internal:5432/app', 'kV7qT2xZ9w'],
  'authorization value': ['Authorization: Bearer q83ZtWmR9b4LpVVn2Y7c6kSd1F5gHj0A', 'q83ZtWmR9b4LpVVn2Y7c6kSd1F5gHj0A'],
  'assigned value': ['API_SECRET=w94RbLpVn72YYc6kSd1F5gHj0Aq83ZtW', 'w94RbLpVn72YYc6kSd1F5gHj0Aq83ZtW'],
};

function of(secret: string): readonly [string, string] {
  return [secret, secret];
}

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}

describe('a secret', () => {
  for (const [kind, [text, secret]] of Object.entries(SECRETS)) {
    it(`M112: of the kind ${kind} reaches no file and no answer, whatever field it came in`, async () => {
      const folder = temporaryFolder();
      const caller = createCaller(folder);
      const parts = learning('login');
      const answers: string[] = [];
      const call = async (name: string, given: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> => {
        const answer = await caller.call(name, given);
        answers.push(answer.text);
        return answer.body;
      };
      const content = await call('hooks_remember', {
        content: `The server in src/server.ts was started with ${text} by accident.`,
      });
      expect(content['stored']).toBe(true);
      await call('memory_remember', {
        ...parts,
        insight: `${parts.insight} It had ${text} inside.`,
        tags: ['auth'],
        files: [`logs/${text}`.slice(0, 400)],
      });
      await call('memory_remember', {
        source: 'debug',
        signal: 'verified',
        error: `Error: refused ${text}`,
        fix: `Replace ${text} in the settings file.`,
        source_path: `docs/${text}`.slice(0, 400),
        summary: `seen ${text}`,
      });
      const pending = await call('memory_remember', {
        ...learning('cache'),
        source: 'review',
        signal: 'p2',
        action: `Call loadCache() with ${text} never again.`,
      });
      expect(pending['status']).toBe('needs_confirmation');
      await call('memory_get', { queue: 'pending', detail: 'full' });
      const id = await store(caller, 'search');
      await call('memory_outcome', { id, verdict: 'worked', note: `with ${text}` });
      await call('memory_forget', { ids: [id], mode: 'retract', reason: `because of ${text}` });
      await call('memory_confirm', {
        token: pending['token'],
        decision: 'store',
        edited_content: `Context: src/cache/index.ts held ${text} in its settings.\nInsight: nobody had looked at the whole file before it was merged.\nAction: run loadCache() and rotate the key.`,
      });
      await call('hooks_recall', { query: `where is ${text} used` });
      await call('memory_recall', { text: `why was ${text} refused by the server`, workflow: 'debug' });
      await call('memory_get', { detail: 'history' });
      expect(filesWith(folder, secret)).toEqual([]);
      expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
      await caller.close();
      expect(filesWith(folder, secret)).toEqual([]);
    });
  }
});
