import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CairnError, isCairnError, type RequestContext, toErrorShape, withinDeadline } from '../kernel/index.ts';
import { type Background, type MemoryRuntime, startBackground } from '../memory/index.ts';
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

/** A command does not keep its prompt longer than this for work that nobody waits for, in milliseconds. */
const CATCH_UP_MS = 2_000;
/** A command ends long before these. */
const ONLY_WHEN_ASKED = { afterUseMs: 0x7fffffff, houseMs: 0x7fffffff };

/** What a command body works with. */
export interface CommandSession {
  readonly terminal: Terminal;
  readonly context: RequestContext;
  /** Composed at the first use. */
  readonly memory: () => MemoryRuntime;
  /**
   * Does now what a server does in the background: takes in an old file beside the store, makes vectors for what was
   * just stored. Ends after at most `limitMs`; what is left over waits for the next time.
   */
  readonly catchUp: (limitMs: number) => Promise<void>;
}

/** Gives the body an exit code to set without an exception. */
export type CommandResult = number | undefined;

/**
 * Runs one command: composes what it asks for, turns Ctrl-C into a cancelled call, reports failures in the one error
 * shape, and closes what was opened. The process ends by itself afterwards. With `catchesUp` what the command wrote is
 * finished first, as a server would do in the background.
 */
export async function runCommand(
  options: GlobalOptions,
  body: (session: CommandSession) => Promise<CommandResult>,
  catchesUp: boolean,
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
  let background: Background | undefined;
  const compose = (): MemoryRuntime => {
    memory = composeMemory({
      surface: 'cli',
      readOnly: false,
      lexicalOnly: options.lexical === true,
      variables,
      log: (line) => terminal.note(line),
    });
    background = startBackground(memory, { times: ONLY_WHEN_ASKED });
    return memory;
  };
  // A folder that was named is the one that is meant: it beats the variables, and a mistyped one is an error.
  const named = options.project === undefined ? undefined : resolve(options.project);
  const hostProjectDirectory =
    named === undefined ? variables['CAIRN_PROJECT_DIR'] || variables['CLAUDE_PROJECT_DIR'] : undefined;
  const session: CommandSession = {
    terminal,
    context: {
      signal: interruption.signal,
      surface: 'cli',
      workingDirectory: process.cwd(),
      roots: [],
      ...(hostProjectDirectory ? { hostProjectDirectory } : {}),
      ...(named === undefined ? {} : { projectArgument: named }),
    },
    memory: () => memory ?? compose(),
    catchUp: async (limitMs) => {
      await withinDeadline(background?.runNow() ?? Promise.resolve(), limitMs, undefined);
    },
  };
  try {
    if (named !== undefined && !existsSync(named))
      throw new CairnError('invalid_input', `--project names ${named}, and there is no such folder.`, {
        field: 'project',
      });
    process.exitCode = (await body(session)) ?? EXIT.ok;
    if (catchesUp && !interruption.signal.aborted) await session.catchUp(CATCH_UP_MS);
  } catch (error) {
    const shape = toErrorShape(error);
    terminal.fail(shape);
    // A defect: its stack is what a report needs.
    if (!isCairnError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = exitCodeOf(shape.code);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await background?.stop();
    await memory?.close();
  }
}
