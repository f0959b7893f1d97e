import { resolve } from 'node:path';
import { CairnError } from '../kernel/index.ts';

export interface McpArguments {
  /** Present for HTTP: `host:port`, a port, or the empty string for the default. */
  readonly http?: string;
  readonly readOnly: boolean;
  readonly toolNames: 'underscore' | 'dotted';
  /** Absolute. */
  readonly project?: string;
  readonly help: boolean;
}

export const MCP_USAGE = `Usage: cairn mcp [options]

Serves the tools of Cairn to an agent over standard input and output.

Options:
  --http [host:port]     serve over HTTP on this machine instead (default 127.0.0.1, a free port)
  --read-only            refuse every tool that writes
  --tool-names <form>    "underscore" (default) or "dotted"
  --project <folder>     the project that calls are about where the client names none
  --help                 show this
`;

function takeValue(flag: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined || value.startsWith('--')) throw new CairnError('invalid_input', `${flag} needs a value.`);
  return value;
}

/** Reads the arguments after `cairn mcp`. Throws `invalid_input` with what to type instead. */
export function parseMcpArguments(argv: readonly string[], workingDirectory: string): McpArguments {
  const rest = argv.flatMap((word) =>
    /^--[a-z-]+=/.test(word) ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word],
  );
  const read: { -readonly [Key in keyof McpArguments]: McpArguments[Key] } = {
    readOnly: false,
    toolNames: 'underscore',
    help: false,
  };
  for (let flag = rest.shift(); flag !== undefined; flag = rest.shift()) {
    if (flag === '--help' || flag === '-h') read.help = true;
    else if (flag === '--read-only') read.readOnly = true;
    else if (flag === '--http')
      read.http = rest[0] === undefined || rest[0].startsWith('--') ? '' : takeValue(flag, rest);
    else if (flag === '--project') read.project = resolve(workingDirectory, takeValue(flag, rest));
    else if (flag === '--tool-names') {
      const form = takeValue(flag, rest);
      if (form !== 'underscore' && form !== 'dotted')
        throw new CairnError('invalid_input', `--tool-names takes "underscore" or "dotted", not "${form}".`);
      read.toolNames = form;
    } else throw new CairnError('invalid_input', `cairn mcp has no option "${flag}". See: cairn mcp --help`);
  }
  return read;
}
