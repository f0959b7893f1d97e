/**
 * Writes what is derived from the operation records: the list of tools that the server sends, and the reference page.
 * With `--check` it writes nothing and fails when a file is stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateCatalog } from '../src/catalog/generate.ts';
import { loadCatalog } from '../src/catalog/index.ts';
import { referencePage } from '../src/catalog/reference.ts';
import { createProgram } from '../src/cli/program.ts';
import { commandReference } from './support/command-reference.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const { operations } = await loadCatalog();
const files = [
  { path: 'src/catalog/generated/tools.json', text: `${JSON.stringify(generateCatalog(operations), null, 1)}\n` },
  { path: 'docs/reference/operations.md', text: referencePage(operations) },
  { path: 'docs/reference/commands.md', text: commandReference(createProgram()) },
];
const check = process.argv.includes('--check');
const stale = files.filter(({ path, text }) => current(join(ROOT, path)) !== text);
for (const { path, text } of stale) {
  if (check) {
    console.error(`${path} is stale. Run \`npm run generate\`.`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(`wrote ${path}`);
}
if (stale.length === 0) console.log(`${files.length} generated files are up to date`);
