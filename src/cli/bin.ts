import { VERSION } from './version.ts';

/** Runs one command; loads nothing but what that command needs. */
export async function main(argv: readonly string[]): Promise<void> {
  const [command, ...rest] = argv;
  if (command === '--version' || command === '-V') {
    process.stdout.write(`${VERSION}\n`);
  } else if (command === 'mcp') {
    const { runMcpCommand } = await import('./mcp-command.ts');
    await runMcpCommand(rest, process.env);
  } else {
    const { runProgram } = await import('./program.ts');
    await runProgram(argv);
  }
}
