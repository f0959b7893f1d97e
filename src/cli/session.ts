import type { RequestContext } from '../kernel/index.ts';
import { CairnError, isCairnError, toErrorShape } from '../kernel/index.ts';
import type { MemoryRuntime } from '../memory/index.ts';
import { composeMemory } from './compose.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  /** Folder of the project, absolute or relative to the working folder. */
  readonly project?: string;
  /** `cairn recall --lexical`. */
  readonly lexical?: boolean;
}

/** What a command body works with. */
export interface CommandSession {
  readonly terminal: Terminal;
  readonly context: RequestContext;
  /** Composed at the first use. */
  readonly memory: () => MemoryRuntime;
}

/** Gives the body an exit code to set without an exception. */
export type CommandResult = number | undefined;

/**
 * Runs one command: composes what it asks for, turns Ctrl-C into a cancelled call, reports failures in the one error
 * shape, and closes what was opened. The process ends by itself afterwards.
 */
export async function runCommand(
  options: GlobalOptions,
  body: (session: CommandSession) => Promise<CommandResult>,
): Promise<void> {
  const variables = process.env;
  const terminal = createTerminal({
    json: options.json === true,
    variables,
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
  });
  // A reader that has gone (`| head`) is no failure of the command.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort(new CairnError('cancelled', 'Interrupted.'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  let memory: MemoryRuntime | undefined;
  const hostProjectDirectory = variables['CAIRN_PROJECT_DIR'];
  const session: CommandSession = {
    terminal,
    context: {
      signal: interruption.signal,
      surface: 'cli',
      workingDirectory: process.cwd(),
      roots: [],
      ...(hostProjectDirectory ? { hostProjectDirectory } : {}),
      ...(options.project === undefined ? {} : { projectArgument: options.project }),
    },
    memory: () =>
      (memory ??= composeMemory({
      surface: 'cli',
      readOnly: false,
      lexicalOnly: options.lexical === true,
      variables,
      log: (line) => terminal.note(line),
    })),
  };
  try {
    process.exitCode = (await body(session)) ?? EXIT.ok;
  } catch (error) {
    const shape = toErrorShape(error);
    terminal.fail(shape);
    // A defect: its stack is what a report needs.
    if (!isCairnError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = exitCodeOf(shape.code);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await memory?.close();
  }
}
