/** Schemes and bundler prefixes before a path. */
const PATH_SCHEME =
  /\b(?:file:\/{2,3}|webpack(?:-internal)?:\/{2,3}(?:\([^)\s]{1,40}\)\/)?|turbopack:\/{2,3}|vite:\/{2,3}|rsc:\/{2,3}(?:React\/Server\/)?|app:\/{2,3}|rollup:\/{2,3})/gi;

/** Text between quotes that is one path, spaces allowed. */
const QUOTED_PATH = /'((?:[A-Za-z]:[\\/]|[\\/]|\.{1,2}[\\/]|~[\\/])[^'\n]{1,400})'/g;

const SEGMENT = '[^\\s\\\\/\'":*?<>|(),;=\\[\\]]{1,120}';
/** A path outside quotes: at least one separator, ends before white space and punctuation. */
const BARE_PATH = new RegExp(
  `(?<![\\w\\\\/<.:@-])(?:[A-Za-z]:)?(?:[\\\\/]{1,2}|\\.{1,2}[\\\\/]|~[\\\\/]|(?:${SEGMENT})[\\\\/])(?:${SEGMENT}[\\\\/]{1,2}){0,40}(?:${SEGMENT})?`,
  'g',
);

/** A position straight after a file name: `:12:5`, `(12,5)`, `:12`. */
const POSITION = /(\.[A-Za-z]\w{0,9})(?:\(\d+(?:[,:]\s?\d+)?\)|:\d+(?::\d+)?)/g;

/** Base names that a tool made up: they differ from run to run. */
const GENERATED =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}|\d{6,}|^tmp[\w.-]{4,}$|^(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,}(?:\.\w+)?$|[._-](?=\w*\d)(?=\w*[A-Z])\w{6,}\.\w{1,5}$/;

/** The last name of a path, `<file>` where it is generated. */
function toBaseName(path: string): string {
  const trimmed = path.replace(/[\\/]+$/, '').replace(/[?#].*$/, '');
  const base = trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1);
  return GENERATED.test(base.slice(0, 200)) ? '<file>' : base;
}

/** Replaces every path by its base name and drops the position after it. Quotes must be straight single ones. */
export function replacePaths(text: string): string {
  return text
    .replace(PATH_SCHEME, '/')
    .replace(QUOTED_PATH, (_, path: string) => `'${toBaseName(path)}'`)
    .replace(BARE_PATH, (path) => withTrailing(path))
    .replace(POSITION, '$1');
}

function withTrailing(path: string): string {
  const end = /[.!?]+$/.exec(path)?.[0] ?? '';
  const base = toBaseName(path.slice(0, path.length - end.length));
  return base === '' ? path : base + end;
}
