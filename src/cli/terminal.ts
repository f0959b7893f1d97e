import { wrapAnsi } from 'fast-wrap-ansi';
import picocolors from 'picocolors';
import type { ErrorShape, Repair } from '../kernel/index.ts';
import type { Variables } from './user-folders.ts';

/** What commands write to. Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Results as JSON, one document on standard output. */
  readonly json: boolean;
  /** A person is looking: progress may be drawn and questions asked. */
  readonly interactive: boolean;
  readonly colours: ReturnType<typeof picocolors.createColors>;
  /** One line of the result, wrapped at the terminal's width with `indent` before continued lines. */
  print(line?: string, indent?: number): void;
  printJson(value: unknown): void;
  /** One line for the person beside the result. */
  note(line: string): void;
  fail(error: ErrorShape): void;
}

export interface TerminalOptions {
  readonly json: boolean;
  readonly variables: Variables;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: { readonly isTTY?: boolean };
}

const DEFAULT_WIDTH = 80;
/** Longer lines are hard to read however wide the window is. */
const MAX_WIDTH = 110;

function wantsColour(variables: Variables, stream: NodeJS.WriteStream): boolean {
  if (variables['NO_COLOR']) return false;
  if (variables['FORCE_COLOR']) return variables['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && variables['TERM'] !== 'dumb';
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { stdout, stderr, stdin, variables, json } = options;
  const colours = picocolors.createColors(!json && wantsColour(variables, stdout));
  const warningColours = picocolors.createColors(wantsColour(variables, stderr));
  const width = Math.min(MAX_WIDTH, stdout.columns || DEFAULT_WIDTH);
  const wrap = (line: string, indent: number): string =>
    wrapAnsi(line, Math.max(20, width - indent), { trim: false, hard: false }).replaceAll(
      '\n',
      `\n${' '.repeat(indent)}`,
    );

  return {
    json,
    interactive: stdout.isTTY === true && stderr.isTTY === true && stdin.isTTY === true && !json && !variables['CI'],
    colours,
    print: (line = '', indent = 0) => {
      if (!json) stdout.write(`${stdout.isTTY === true ? wrap(line, indent) : line}\n`);
    },
    printJson: (value) => {
      if (json) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (line) => {
      stderr.write(`${warningColours.dim(line)}\n`);
    },
    fail: (error) => {
      if (json) stdout.write(`${JSON.stringify({ error }, null, 2)}\n`);
      stderr.write(`${warningColours.red('error')} ${error.message}\n`);
      const repair = error.repair === undefined ? undefined : describeRepair(error.repair);
      if (repair !== undefined) stderr.write(`  ${warningColours.bold(repair)}\n`);
    },
  };
}

/** A repair as a person would type it; `undefined` for a call that only an agent can send. */
function describeRepair(repair: Repair): string | undefined {
  return 'command' in repair ? repair.command : undefined;
}
