/**
 * Counts the words of our dependencies' documentation and writes the background table of the memory room:
 * `tsx scripts/make-term-background.ts`. Run it when the tokeniser changes; the result depends on what is installed, so
 * it is checked in. No text goes into the table: terms and numbers of passages alone.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tokenise } from '../src/text/index.ts';

const SOURCE = 'node_modules';
const TARGET = 'src/memory/recall/generated/term-background.ts';
/** Words to a passage, as the memory room cuts them. */
const PASSAGE_WORDS = 120;
/** A term seen in fewer passages is as good as unknown. */
const LEAST_PASSAGES = 3;
/** Change logs and licences repeat themselves; they are no prose about software. */
const LEFT_OUT = /^(?:change|licen[cs]e|history|release|security|contribut|code_of_conduct|governance)/i;
const PLAIN_TERM = /^[a-z]{2,24}$/;

function* markdownFiles(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* markdownFiles(path);
    else if (entry.isFile() && /\.md$/i.test(entry.name) && !LEFT_OUT.test(entry.name)) yield path;
  }
}

/** Links, pictures and badges say nothing about how words are used. */
function withoutLinks(text: string): string {
  return text
    .replace(/<[^>]{0,400}>/g, ' ')
    .replace(/\]\([^)\s]*[^)]*\)/g, ' ')
    .replace(/https?:\/\/\S+/g, ' ');
}

const counts = new Map<string, number>();
const seen = new Set<string>();
let passages = 0;
for (const path of markdownFiles(SOURCE)) {
  const text = readFileSync(path, 'utf8');
  if (seen.has(text)) continue;
  seen.add(text);
  const words = withoutLinks(text).split(/\s+/);
  for (let from = 0; from < words.length; from += PASSAGE_WORDS) {
    const terms = new Set(tokenise(words.slice(from, from + PASSAGE_WORDS).join(' ')).map(({ term }) => term));
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    passages += 1;
  }
}

const lines = [...counts]
  .filter(([term, count]) => count >= LEAST_PASSAGES && PLAIN_TERM.test(term))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([term, count]) => `${term} ${count}`);
mkdirSync(dirname(TARGET), { recursive: true });
writeFileSync(
  TARGET,
  `/** Made by \`scripts/make-term-background.ts\`; do not edit. */\n\n/** Passages that were counted. */\nexport const BACKGROUND_PASSAGES = ${passages};\n\n` +
    `/** Sorted lines \`term count\`, each with its line break: in how many passages a stem occurs. */\nexport const BACKGROUND_TERMS = \`${lines.join('\n')}\n\`;\n`,
);
console.log(`${TARGET}: ${lines.length} terms of ${seen.size} documents, ${passages} passages`);
