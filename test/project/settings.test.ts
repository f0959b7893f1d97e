import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnknownVariables } from '../../src/project/index.ts';
import { writeTree } from '../support/temporary-folder.ts';
import { makeWorld } from './support/world.ts';

describe('settings', () => {
  it('M56 an unknown key, a wrong value and a broken file have no effect and are said', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    const warningsFor = async (text: string): Promise<readonly string[]> => {
      writeTree(root, { '.cairn/config.json': text });
      const location = await world.locate(root);
      expect(location.config.embedder).toBe('minilm');
      return location.warnings;
    };
    expect(await warningsFor('{"isolate": false}')).toEqual([]);
    expect(await warningsFor('{"isolat": true}')).toEqual([expect.stringContaining('unknown key "isolat"')]);
    expect(await warningsFor('{"constructor": true, "__proto__": 1}')).toHaveLength(2);
    expect(await warningsFor('{"embedder": "gpt"}')).toEqual([
      expect.stringContaining('"embedder" must be one of "minilm", "none"'),
    ]);
    expect(await warningsFor('{"embedder": ')).toEqual([expect.stringContaining(join('.cairn', 'config.json'))]);
    expect(await warningsFor('[]')).toHaveLength(1);
  });

  it('takes the settings that are known', async () => {
    const world = makeWorld();
    const root = world.repository('home', 'app');
    writeTree(root, { '.cairn/config.json': '{"embedder": "none"}' });
    expect(await world.locate(root)).toMatchObject({ config: { isolate: false, embedder: 'none' }, warnings: [] });
  });

  it('M56 an unknown CAIRN_ variable is said', () => {
    const environment = { CAIRN_X: '1', CAIRN_PROJECT_DIR: '/p', PATH: '/bin', XCAIRN_Y: '1' };
    expect(findUnknownVariables(environment, ['CAIRN_PROJECT_DIR'])).toEqual([
      'The variable CAIRN_X is unknown; it has no effect.',
    ]);
  });
});
