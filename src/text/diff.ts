import { cutAtWord } from './cut.ts';
import { isIdentifier } from './identifier.ts';
import { toCompatibilityForm } from './normalise.ts';
import { scanChunks } from './scan.ts';

/** Length of what a diff is reduced to, in characters. */
const MAX_REDUCED = 300;

const GIT_HEADER = /^diff --git /m;
const OLD_FILE = /^--- \S/m;
const NEW_FILE = /^\+\+\+ \S/m;
const HUNK = /^@@ .*@@|^@@ -\d/m;
const PATH_LINE = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/;
const RENAME_LINE = /^diff --git a\/(\S+) b\/(\S+)|^rename to (.+)/;

/** Whether a text is a raw diff: `diff --git`, or a `---`/`+++` pair with a `@@` line. */
function isDiff(text: string): boolean {
  return GIT_HEADER.test(text) || (OLD_FILE.test(text) && NEW_FILE.test(text) && HUNK.test(text));
}

/**
 * The paths and changed identifiers of a raw diff, at most 300 characters; nothing for a text that is no diff. Paths
 * come first; identifiers of changed lines follow in order of appearance, each once.
 */
export function reduceDiff(text: string): string | undefined {
  if (!isDiff(text)) return undefined;
  const paths = new Set<string>();
  const identifiers = new Set<string>();
  let length = 0;
  for (const line of text.split('\n')) {
    const path = pathOf(line);
    if (path !== undefined) paths.add(path);
    else if (length <= MAX_REDUCED && /^[+-]/.test(line)) {
      scanChunks(toCompatibilityForm(line.slice(1, 1 + MAX_REDUCED)), ({ kind, text: name }) => {
        if (kind !== 'compound' || !isIdentifier(name) || identifiers.has(name)) return;
        identifiers.add(name);
        length += name.length + 1;
      });
    }
  }
  return cutAtWord([...paths, ...identifiers].join(' '), MAX_REDUCED);
}

function pathOf(line: string): string | undefined {
  const match = PATH_LINE.exec(line) ?? RENAME_LINE.exec(line);
  const path = (match?.[3] ?? match?.[2] ?? match?.[1])?.trim();
  return path === undefined || path === '/dev/null' ? undefined : path;
}
