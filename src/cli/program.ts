import { Command, CommanderError, Option } from 'commander';
import { EXIT } from './exit-code.ts';
import { type CommandResult, type CommandSession, type GlobalOptions, runCommand } from './session.ts';
import { VERSION } from './version.ts';

/** A command's body with its parsed arguments and options, loaded when the command runs. */
type Body = (
  session: CommandSession,
  parameters: readonly string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<CommandResult>;

function run(load: () => Promise<Body>, { catchesUp = false } = {}): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const parameters = command.processedArgs.flat().filter((part): part is string => typeof part === 'string');
    const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>();
    const body = await load();
    await runCommand(options, (session) => body(session, parameters, options), catchesUp);
  };
}

const SHARED_OPTIONS = [
  new Option('--json', 'print one JSON document'),
  new Option('--project <folder>', 'the project to work on (default: where you are)'),
];

function withShared(command: Command): Command {
  for (const option of SHARED_OPTIONS) command.addOption(option);
  return command;
}

function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function addMemory(program: Command): void {
  const memory = program.command('memory').description('look after what is remembered');
  const add = (name: string, description: string): Command => withShared(memory.command(name).description(description));

  add('list', 'list entries, newest first')
    .option('--limit <n>', 'how many, 1 to 100', '20')
    .option('--kind <kind>', 'learning or error_fix')
    .option('--type <type>', 'decision, context, project, code or general')
    .option('--state <state>', 'active, closed, superseded, retracted or quarantined')
    .option('--tag <tag>', 'entries with this tag')
    .option('--path <path>', 'entries about files below this path')
    .option('--queue <queue>', 'pending, near_duplicates, conflicts, never_recalled or suspect')
    .option('--order <order>', 'newest, oldest or most_recalled', 'newest')
    .option('--cursor <cursor>', 'go on where an earlier list stopped')
    .action(run(async () => (await import('./commands/memory-list.ts')).memoryList));
  add('show <id...>', 'show entries whole, with their history').action(
    run(async () => (await import('./commands/memory-show.ts')).memoryShow),
  );
  add('forget [id...]', 'hide entries, or erase them for good')
    .option('--erase', 'remove text, vectors and backups of it; cannot be undone')
    .option('--restore', 'bring retracted entries back (30 days)')
    .option('--source <path>', 'all entries learned from this document')
    .option('--reason <text>', 'why, kept in the log')
    .option('--dry-run', 'say what would happen')
    .option('-y, --yes', 'do not ask')
    .action(run(async () => (await import('./commands/memory-forget.ts')).memoryForget));
  add('confirm <token>', 'decide about a pending entry')
    .option('--discard', 'do not keep it')
    .option('--supersede', 'let it replace the entry that it is like')
    .option('--merge', 'count it as a repeat of that entry')
    .option('--content <text>', 'keep this text instead')
    .action(run(async () => (await import('./commands/memory-confirm.ts')).memoryConfirm, { catchesUp: true }));
  add('outcome <id> <verdict>', 'say whether it helped: worked, failed, not_applicable, obsolete or reopen')
    .option('--replaced-by <id>', 'the entry that holds now')
    .option('--note <text>', 'at most 500 characters')
    .action(run(async () => (await import('./commands/memory-outcome.ts')).memoryOutcome));
  add('update <id>', 'change type, tags, text or pin of an entry')
    .option('--type <type>', 'decision, context, project, code or general')
    .option('--tag <tag>', 'set these tags (repeat for several)', collect)
    .option('--content <text>', 'new text; the old one stays in the history')
    .option('--pin', 'keep it out of clean-ups')
    .option('--no-pin', 'undo --pin')
    .action(run(async () => (await import('./commands/memory-update.ts')).memoryUpdate, { catchesUp: true }));
  add('export <file>', 'write everything to a file or folder')
    .addOption(
      new Option('--format <format>', 'jsonl keeps everything')
        .choices(['jsonl', 'markdown', 'ruvector'])
        .default('jsonl'),
    )
    .action(run(async () => (await import('./commands/memory-export.ts')).memoryExport));
  add('import <file>', "take entries in: Cairn's JSONL or a ruvector intelligence.json")
    .option('--include-noise', 'telemetry lines too')
    .action(run(async () => (await import('./commands/memory-import.ts')).memoryImport, { catchesUp: true }));
  add('backup', 'make a backup now')
    .option('--list', 'list the backups there are')
    .action(run(async () => (await import('./commands/memory-backup.ts')).memoryBackup));
  add('restore [backup]', 'go back to a backup (the newest, or a file); the present state is backed up first')
    .option('-y, --yes', 'do not ask')
    .action(run(async () => (await import('./commands/memory-restore.ts')).memoryRestore));
  add('scan', 'look through all texts for secrets and invisible characters')
    .option('--fix', 'take them out of the store and its backups')
    .action(run(async () => (await import('./commands/memory-scan.ts')).memoryScan, { catchesUp: true }));
  add('reembed', 'make vectors anew where they are missing or of another model')
    .option('--dry-run', 'say what would happen')
    .action(run(async () => (await import('./commands/memory-reembed.ts')).memoryReembed));
}

/** The whole command line. Descriptions here are also what shell completion shows. */
export function createProgram(): Command {
  const program = new Command('cairn')
    .description('Memory for coding agents: what was learned in earlier work, recalled before acting.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for what there is)')
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false });

  withShared(program.command('init').description('prepare this project: make its store, offer the .ruvector link'))
    .option('--link', 'also make a .ruvector link for commands that look for that folder')
    .option('--no-link', 'do not make it and do not ask')
    .action(run(async () => (await import('./commands/init.ts')).init, { catchesUp: true }));
  withShared(program.command('recall <query...>').description('what is known about this'))
    .option('-k, --keep <n>', 'how many findings, 1 to 10', '3')
    .option('--workflow <workflow>', 'brainstorm, plan, work, review, debug, ci, audit or other', 'other')
    .option('--error <text>', 'an error message to look up (or - for standard input)')
    .option('--lexical', 'by words alone: fastest, for scripts and hooks')
    .option('--all', 'show candidates under the floor too')
    .option('--block', 'print the finished block for a prompt')
    .action(run(async () => (await import('./commands/recall.ts')).recallCommand));
  withShared(program.command('remember [text...]').description('keep what was learned (text, or - for standard input)'))
    .option('--context <text>', 'what was built or fixed, and where')
    .option('--insight <text>', 'why')
    .option('--action <text>', 'what to do next time')
    .option('--error <text>', 'an error message; goes with --fix')
    .option('--fix <text>', 'what fixed it')
    .option('--source-path <path>', 'the document that explains it')
    .option('--summary <text>', 'the problem in one line')
    .option('--type <type>', 'decision, context, project, code or general')
    .option('--tag <tag>', 'a tag (repeat for several)', collect)
    .option('--file <path>', 'a file it is about (repeat for several)', collect)
    .option('--supersedes <id>', 'an entry that this replaces (repeat for several)', collect)
    .option('--force', 'store it even if something much like it is there')
    .option('--strict', 'refuse it unless it passes the quality gates')
    .option('--user', 'keep it for yourself, not for the project')
    .option('--dry-run', 'say what would happen')
    .action(run(async () => (await import('./commands/remember.ts')).rememberCommand, { catchesUp: true }));
  addMemory(program);
  const project = program.command('project').description('which project this folder belongs to');
  withShared(project.command('show').description('where the store of this folder is, and why')).action(
    run(async () => (await import('./commands/project-show.ts')).projectShow),
  );
  withShared(
    project.command('link').description('make a .ruvector link for commands that look for that folder'),
  ).action(run(async () => (await import('./commands/project-link.ts')).projectLink));
  withShared(program.command('status').description('what is stored here, and in what state')).action(
    run(async () => (await import('./commands/status.ts')).status),
  );
  withShared(program.command('doctor').description('check everything and say what to do'))
    .option('--rebuild', 'make the search tables again from the log, after a backup')
    .option('--acknowledge', 'stop reporting a recovery that you have seen')
    .action(run(async () => (await import('./commands/doctor.ts')).doctor));
  program
    .command('mcp')
    .description('serve the tools to an agent (see cairn mcp --help)')
    .allowUnknownOption()
    .helpOption(false);
  withShared(program.command('catalog').description('the tools: names, sizes, fingerprint'))
    .option('--check', 'fail when a rule or a budget is broken')
    .action(run(async () => (await import('./commands/catalog.ts')).catalogCommand));
  return program;
}

/** Parses and runs. Wrong usage is reported by commander itself and ends with exit code 2. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  const { default: tab } = await import('@bomb.sh/tab/commander');
  if (argv[0] === 'complete' || argv.length === 0) tab(program, { completionCommandName: 'complete' });
  if (argv.length === 0) {
    program.outputHelp();
    return;
  }
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    command.exitOverride();
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
