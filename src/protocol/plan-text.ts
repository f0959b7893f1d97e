const FRONTMATTER = /^\ufeff?---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/;
const OVERVIEW = /^ {0,3}##[ \t]+(?:\d+[.)]?[ \t]+)?Overview[ \t]*:?[ \t]*#*[ \t]*$/i;
const SAME_OR_HIGHER = /^ {0,3}#{1,2}[ \t]+\S/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** A Markdown text without the YAML block at its start. */
export function stripFrontmatter(text: string): string {
  return text.replace(FRONTMATTER, '');
}

/** The text under the first `## Overview`, up to the next heading of that level; nothing where there is none or it is empty. */
export function findOverview(text: string): string | undefined {
  const lines = text.split(/\r?\n/);
  let inFence = false;
  let start = -1;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) inFence = !inFence;
    if (inFence) continue;
    if (start < 0) {
      if (OVERVIEW.test(line)) start = index + 1;
    } else if (SAME_OR_HIGHER.test(line)) {
      return toSection(lines.slice(start, index));
    }
  }
  return start < 0 ? undefined : toSection(lines.slice(start));
}

function toSection(lines: readonly string[]): string | undefined {
  const section = lines.join('\n').trim();
  return section === '' ? undefined : section;
}
