import { type Finding, type RecallAnswer, recall } from '../../memory/index.ts';
import { WORKFLOW_NAMES } from '../../protocol/index.ts';
import { unescapeMarkup } from '../../text/index.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import { flag, oneOf, text, wholeNumber } from '../options.ts';
import { startProgress } from '../progress.ts';
import { describeAge } from '../render-entry.ts';
import type { CommandResult, CommandSession } from '../session.ts';
import { textOrInput } from '../standard-input.ts';
import type { Terminal } from '../terminal.ts';

/** Chars of all findings together: a screen holds more than a prompt should. */
const SCREEN_CHARS = 4_000;
/** Candidates that `--all` shows. */
const ALL_RESULTS = 10;
/** Longest wait for an old file that is taken in before the answer, in milliseconds. */
const IMPORT_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Where a finding came from, in a few words. */
function originOf({ provenance, trust, sourcePath }: Finding): string {
  const commit = provenance?.commit?.slice(0, 12);
  const place =
    provenance?.branch === undefined ? undefined : `${provenance.branch}${commit === undefined ? '' : ` ${commit}`}`;
  const parts = [provenance?.source, provenance?.host, place, sourcePath ?? provenance?.file, `trust ${trust}`];
  return parts.filter((part) => part !== undefined).join(', ');
}

function printFinding(terminal: Terminal, finding: Finding): void {
  const { bold, dim, green, yellow } = terminal.colours;
  const kind = finding.kind === 'error_fix' ? 'error-fix' : finding.type;
  const age = describeAge(finding.ageDays * DAY_MS);
  terminal.print(
    `${green(finding.score.toFixed(2))}  ${bold(finding.id)}  ${kind}  ${dim(`${age}, by ${finding.match}`)}`,
  );
  terminal.print(`  ${unescapeMarkup(finding.content)}`, 2);
  terminal.print(`  ${dim(`from ${originOf(finding)}`)}`, 2);
  const { worked, failed } = finding.outcomes;
  if (worked + failed > 0)
    terminal.print(`  ${finding.suspect ? yellow('suspect: ') : ''}worked ${worked}, failed ${failed}`, 2);
  if (finding.caution !== undefined) terminal.print(`  ${yellow(finding.caution)}`, 2);
}

/** Why nothing is shown, and what to do about it. */
function describeNothing(answer: RecallAnswer, bold: (text: string) => string): string {
  if (answer.entriesInScope === 0)
    return `Nothing is stored here yet. Try: ${bold('cairn remember "what was learned"')}`;
  if (answer.reason === 'no_searchable_text') return 'The query has no words to search for.';
  const near = answer.nearMiss;
  if (near !== undefined)
    return `Nothing certain enough: the nearest has ${near.score.toFixed(2)}, the floor is ${near.floor}. See it with --all.`;
  return 'Nothing here is about this.';
}

async function showAll({ terminal, context, memory }: CommandSession, query: string): Promise<CommandResult> {
  const answer = await recall(memory(), context, { door: 'hooks', text: query, topK: ALL_RESULTS });
  terminal.printJson(answer);
  const { bold, dim, green } = terminal.colours;
  for (const result of answer.results) {
    const score = result.score.toFixed(2);
    terminal.print(
      `${result.passesFloor ? green(score) : dim(score)}  ${bold(result.id)}  ${dim(`floor ${result.floor}, by ${result.match}`)}`,
    );
    terminal.print(`  ${result.content.replaceAll('\n', ' ')}`, 2);
  }
  if (answer.results.length === 0) terminal.print(describeNothing(answer, bold));
  return EXIT.ok;
}

/** `cairn recall`: what is known about something, with scores and where it came from. */
export async function recallCommand(
  session: CommandSession,
  words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandResult> {
  const { terminal, context, memory } = session;
  const query = (await textOrInput(words.join(' '), 'query')) ?? '';
  if (flag(options, 'all')) return showAll(session, query);
  const asBlock = flag(options, 'block');
  const error = await textOrInput(text(options, 'error'), 'error');
  const workflow = oneOf(options, 'workflow', WORKFLOW_NAMES);
  const keep = wholeNumber(options, 'keep', 1, 10);
  const ask = () =>
    recall(memory(), context, {
      door: 'memory',
      text: query,
      error,
      workflow,
      keep,
      ...(asBlock ? {} : { maxChars: SCREEN_CHARS }),
    });
  let answer = await ask();
  if (answer.degraded?.reason === 'importing') {
    const progress = await startProgress(terminal, 'Taking in what another engine left here');
    await session.catchUp(IMPORT_MS);
    progress.stop('Taken in');
    answer = await ask();
  }
  for (const warning of answer.warnings) terminal.note(warning);
  if (answer.code !== undefined) {
    terminal.fail({
      code: answer.code,
      message: answer.message ?? answer.code,
      retryable: false,
      ...(answer.repair === undefined ? {} : { repair: answer.repair }),
    });
    return exitCodeOf(answer.code);
  }
  terminal.printJson(answer);
  if (asBlock) {
    if (answer.block !== '') terminal.print(answer.block);
    return EXIT.ok;
  }
  for (const finding of answer.findings) printFinding(terminal, finding);
  if (answer.findings.length === 0) terminal.print(describeNothing(answer, terminal.colours.bold));
  if (answer.degraded !== undefined) terminal.note(`searched by words alone or in part: ${answer.degraded.reason}`);
  return EXIT.ok;
}
