import type { Command } from 'commander';

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return [names.join(' '), command.usage()].join(' ').trim();
}

function section(command: Command): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  const rows = options.map(({ flags, description, defaultValue }) => {
    const fallback = defaultValue === undefined ? '' : ` (default ${JSON.stringify(defaultValue)})`;
    return `| \`${flags.replaceAll('|', '\\|')}\` | ${description}${fallback} |`;
  });
  const table = rows.length === 0 ? [] : ['', '| option | meaning |', '| --- | --- |', ...rows];
  return [`## \`${usageOf(command)}\``, '', `${command.description()}.`, ...table, ''].join('\n');
}

/** The reference page of the command line, from the commands themselves. */
export function commandReference(program: Command): string {
  const leaves = program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands));
  const head = [
    '# Commands',
    '',
    'Generated from the command line itself by `npm run generate`. Exit codes: 0 done, 1 could not be done, 2 typed wrongly,',
    '130 interrupted. `eval "$(cairn complete bash)"` (or `zsh`, `fish`, `powershell`) completes commands and options.',
    '',
  ];
  return `${[head.join('\n'), ...leaves.map(section)].join('\n').trimEnd()}\n`;
}
