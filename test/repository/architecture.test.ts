import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, writeTree } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLE = JSON.parse(readFileSync(join(ROOT, 'scripts/room-table.json'), 'utf8')) as Record<string, string[]>;

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** What the repository's own configuration says about a tree of source files. */
function violations(files: Readonly<Record<string, string>>): Violation[] {
  const folder = temporaryFolder();
  writeTree(folder, { ...files, 'tsconfig.json': readFileSync(join(ROOT, 'tsconfig.json'), 'utf8') });
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const configuration = join(ROOT, '.dependency-cruiser.cjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--config', configuration, '--output-type', 'json', 'src'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

function brokenRules(files: Readonly<Record<string, string>>): string[] {
  return [...new Set(violations(files).map(({ rule }) => rule.name))].sort();
}

describe('the room table', () => {
  it('refuses each pair of rooms that it does not name, and no other', () => {
    const rooms = Object.keys(TABLE);
    const files: Record<string, string> = {};
    for (const room of rooms) files[`src/${room}/index.ts`] = `export const name = '${room}';\n`;
    for (const from of rooms) {
      for (const to of rooms) {
        if (from !== to) files[`src/${from}/to-${to}.ts`] = `export { name } from '../${to}/index.ts';\n`;
      }
    }
    const refused = new Set(
      violations(files)
        .filter(({ rule }) => rule.name.startsWith('room-'))
        .map(({ from, to }) => `${from.split('/')[1]} ${to.split('/')[1]}`),
    );
    const allowed = rooms.flatMap((from) =>
      rooms.filter((to) => from !== to && !refused.has(`${from} ${to}`)).map((to) => `${from} ${to}`),
    );
    const named = rooms.flatMap((from) =>
      rooms
        .filter((to) => from !== to && (TABLE[from]?.includes(to) || TABLE[from]?.includes('*')))
        .map((to) => `${from} ${to}`),
    );
    expect(allowed).toEqual(named);
    expect([...refused]).toEqual(
      expect.arrayContaining(['kernel text', 'text memory', 'storage memory', 'memory catalog', 'mcp memory']),
    );
    expect(allowed).toEqual(expect.arrayContaining(['memory storage', 'catalog memory', 'mcp catalog', 'cli memory']));
  });

  it('refuses a way into a room beside its door, for types too', () => {
    const files = {
      'src/kernel/index.ts': 'export {};\n',
      'src/kernel/clock.ts': 'export interface Clock { now(): number }\n',
      'src/text/words.ts': "import type { Clock } from '../kernel/clock.ts';\nexport type Words = Clock;\n",
    };
    expect(brokenRules(files)).toEqual(['room-door']);
  });

  it('refuses a cycle inside a room', () => {
    const files = {
      'src/text/a.ts': "import { b } from './b.ts';\nexport const a = (): number => b();\n",
      'src/text/b.ts': "import { a } from './a.ts';\nexport const b = (): number => a();\n",
    };
    expect(brokenRules(files)).toEqual(['no-cycle']);
  });

  it('refuses a room that it does not know', () => {
    const files = {
      'src/kernel/index.ts': 'export const one = 1;\n',
      'src/attic/box.ts': "export { one } from '../kernel/index.ts';\n",
    };
    expect(brokenRules(files)).toContain('unknown-room');
  });

  it('refuses tests and scripts in the product, and imports that lead nowhere', () => {
    const files = {
      'test/support/fake.ts': 'export const fake = 1;\n',
      'src/text/real.ts': "export { fake } from '../../test/support/fake.ts';\nexport * from './gone.ts';\n",
    };
    expect(brokenRules(files)).toEqual(expect.arrayContaining(['product-only', 'unresolvable']));
  });
});
