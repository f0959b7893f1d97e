import type { EntryView } from '../memory/index.ts';
import type { Terminal } from './terminal.ts';

const MINUTE_MS = 60_000;
const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['year', 365 * 24 * 60 * MINUTE_MS],
  ['month', 30 * 24 * 60 * MINUTE_MS],
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

/** A length of time as people say it: "3 days", "just now" below a minute. */
export function describeAge(ms: number): string {
  for (const [name, size] of UNITS) {
    const count = Math.floor(ms / size);
    if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}

function ageOf(view: EntryView): string {
  return describeAge(Date.now() - Date.parse(view.created));
}

/** One entry in two or more lines: what it is, then what it says. */
export function printEntry(terminal: Terminal, view: EntryView): void {
  const { bold, dim, yellow } = terminal.colours;
  const marks = [
    view.state === 'active' ? undefined : yellow(view.state),
    view['suspect'] === true ? yellow('suspect') : undefined,
    view['pinned'] === true ? 'pinned' : undefined,
  ].filter((mark) => mark !== undefined);
  const kind = view.kind === 'error_fix' ? 'error-fix' : view.type;
  terminal.print([bold(view.id), kind, dim(ageOf(view)), ...marks].join('  '));
  terminal.print(`  ${view.withheld ?? view.content.replaceAll('\n', '\n  ')}`, 2);
  const token = view['token'];
  if (typeof token === 'string') terminal.print(`  ${dim('decide with')} cairn memory confirm ${token}`, 2);
  const other = view['other'] as { readonly id: string; readonly score?: number } | undefined;
  if (other !== undefined)
    terminal.print(
      `  ${dim('beside')} ${other.id}${other.score === undefined ? '' : ` (${other.score.toFixed(2)})`}`,
      2,
    );
}
