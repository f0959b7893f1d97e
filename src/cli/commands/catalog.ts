import { budgetReport, checkTools, loadGenerated } from '../../catalog/index.ts';
import { INSTRUCTIONS } from '../../mcp/index.ts';
import { EXIT } from '../exit-code.ts';
import { flag } from '../options.ts';
import type { CommandResult, CommandSession } from '../session.ts';

/** `cairn catalog`: every tool with its size, the budgets and the fingerprint; `--check` fails on a broken rule. */
export async function catalogCommand(
  { terminal }: CommandSession,
  _words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const { tools, fingerprint } = await loadGenerated();
  const lines = budgetReport(tools, INSTRUCTIONS);
  const findings = flag(options, 'check') ? await checkTools(tools, INSTRUCTIONS) : [];
  terminal.printJson({
    fingerprint,
    tools: tools.map(({ name, title }) => ({ name, title })),
    budgets: lines,
    findings,
  });
  const { bold, dim, green, red } = terminal.colours;
  const widest = Math.max(...lines.map(({ what }) => what.length));
  for (const { what, bytes, limit, over } of lines) {
    const size = `${String(bytes).padStart(7)} of ${limit} bytes`;
    terminal.print(`${bold(what.padEnd(widest))} ${over ? red(size) : dim(size)}`);
  }
  terminal.print(`${tools.length} tools, fingerprint ${fingerprint}`);
  for (const { tool, problem } of findings) terminal.print(`${red('broken')} ${tool}: ${problem}`);
  if (flag(options, 'check') && findings.length === 0) terminal.print(green('every rule and budget holds'));
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}
