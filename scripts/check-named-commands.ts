/** Every command that a message, a repair or a document names must be one that can be typed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NAMED = /(?:`|'|\$ |: )cairn ([a-z]+(?: [a-z]+)?(?: --[a-z-]+)*)/g;
/** Commands of commands; a second word of any other is an argument. */
const GROUPS = ['memory', 'project'];

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path));
}

/** What is wrong with a command line; `undefined` where it could be typed. */
function problemOf(words: readonly string[]): string | undefined {
  let command: Command | undefined = createProgram();
  const rest = [...words];
  while (command !== undefined && command.commands.length > 0) {
    const name = rest.shift();
    command = command.commands.find((one) => one.name() === name);
  }
  if (command === undefined) return 'there is no such command';
  if (command.name() === 'mcp') return undefined;
  const known = new Set(command.options.map(({ long }) => long));
  const foreign = rest.find((word) => word.startsWith('--') && !known.has(word));
  return foreign === undefined ? undefined : `it has no option ${foreign}`;
}

const files = [...filesBelow(join(ROOT, 'src'), '.ts'), join(ROOT, 'README.md'), join(ROOT, 'SECURITY.md')];
let named = 0;
for (const file of files) {
  for (const [, line = ''] of readFileSync(file, 'utf8').matchAll(NAMED)) {
    const words = line.split(' ');
    const command = GROUPS.includes(words[0] ?? '')
      ? words
      : words.filter((word, i) => i === 0 || word.startsWith('--'));
    // Made by the completion library, not listed.
    if (words[0] === 'complete') continue;
    named += 1;
    const problem = problemOf(command);
    if (problem === undefined) continue;
    console.error(`${file.slice(ROOT.length)}: "cairn ${line}": ${problem}`);
    process.exitCode = 1;
  }
}
if (named === 0) throw new Error('no command is named anywhere: the pattern no longer fits');
console.log(`${named} named commands can be typed`);
