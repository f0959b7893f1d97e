import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckReport, HouseCheck } from './check.ts';

const MAX_README_LINES = 25;

/** Rooms and the rooms that each may import, from `scripts/room-table.json`; `*` is any. */
type RoomTable = Readonly<Record<string, readonly string[]>>;

/** Rows `| \`room\` | … | allowed |` of the map in AGENTS.md; a row's last cell names the allowed rooms. */
function readDocumentedTable(text: string): Map<string, string> {
  const rows = text.matchAll(/^\| `(?:src\/)?([a-z]+)\/?` \|(?:[^|\n]*\|)*? ?([^|\n]*?) ?\|$/gm);
  return new Map([...rows].map(([, room = '', allowed = '']) => [room, allowed]));
}

/** What a row's last cell may say; `above` are the rooms of the rows before it. */
function describeAllowed(allowed: readonly string[], above: readonly string[]): string[] {
  if (allowed.length === 0) return ['nothing'];
  if (allowed.includes('*')) return ['anything'];
  return allowed.join() === above.join() ? [allowed.join(' '), 'every room above'] : [allowed.join(' ')];
}

function checkRoomFiles(root: string, files: ReadonlySet<string>, room: string, hasDoor: boolean): string[] {
  const problems: string[] = [];
  if (hasDoor && !files.has(`src/${room}/index.ts`)) problems.push(`src/${room}: no index.ts. A room has a door.`);
  if (!files.has(`src/${room}/README.md`)) {
    problems.push(`src/${room}: no README.md. Say what the room promises, what it never does, where to start reading.`);
    return problems;
  }
  const lines = readFileSync(join(root, `src/${room}/README.md`), 'utf8')
    .trimEnd()
    .split('\n').length;
  if (lines > MAX_README_LINES) problems.push(`src/${room}/README.md: ${lines} lines, over ${MAX_README_LINES}.`);
  return problems;
}

/** Each room is in the table, has a door and a short README; AGENTS.md shows the same table. */
export const rooms: HouseCheck = {
  name: 'rooms',
  run(root, files): CheckReport {
    const table = JSON.parse(readFileSync(join(root, 'scripts/room-table.json'), 'utf8')) as RoomTable;
    const present = [...new Set(files.flatMap((path) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []))];
    const known = new Set(files);
    const problems = present.flatMap((room) => {
      const allowed = table[room];
      if (allowed === undefined) return [`src/${room}: not in scripts/room-table.json. Say there what it may import.`];
      // The room that composes the program is imported by none, so it needs no door.
      return checkRoomFiles(root, known, room, !allowed.includes('*'));
    });
    const documented = readDocumentedTable(readFileSync(join(root, 'AGENTS.md'), 'utf8'));
    for (const [index, [room, allowed]] of Object.entries(table).entries()) {
      const wanted = describeAllowed(allowed, Object.keys(table).slice(0, index));
      if (!wanted.includes(documented.get(room) ?? '')) {
        problems.push(`AGENTS.md: the row of ${room} should end with "${wanted[0]}", as in scripts/room-table.json.`);
      }
    }
    return { problems, notes: [`${present.length} rooms of ${Object.keys(table).length} in the table`] };
  },
};
