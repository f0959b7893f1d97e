import { CODE, ERROR_CLASS, NUMBERED_CODE } from './codes.ts';

/**
 * What a line of an error text is. `head` names the error; `weak_head` says that something failed without a name;
 * `wrapper` is a tool that reports another tool's failure; `cause` begins with "Caused by".
 */
export type LineRole = 'head' | 'weak_head' | 'wrapper' | 'cause' | 'frame' | 'other';

const WRAPPERS: readonly RegExp[] = [
  /\b(?:command|process|script|task|job|step|recipe|target|build|lifecycle|package|child|subprocess|container|program)\b.{0,120}\b(?:failed|exited|finished|returned|terminated)\b.{0,40}\b(?:exit|code|status|signal)\b/i,
  /\b(?:failed|exited|finished|terminated) with (?:exit )?(?:code|status|error code|signal)\b/i,
  /^(?:ELIFECYCLE|ERR_PNPM_RECURSIVE|code ELIFECYCLE|errno \d+)/,
  /^(?:Exit (?:status|code)|Lifecycle script|A complete log of this run|This is probably not a problem with npm|Failed at the .{1,120} script)/i,
  /^make(?:\[\d+\])?: \*\*\* /,
  /^(?:Found \d+ errors?|\d+ errors? generated|aborting due to|could not compile `|BUILD FAILED|FAILURE: Build failed|Execution failed for task|error Command failed|Error: Process completed with exit code|npm ERR! Exit status)/i,
  /^(?:Traceback \(most recent call last\)|For more information about this error|info Visit|Some errors have detailed explanations)/i,
  // Properties of an error on lines of their own, and a code with nothing beside it.
  /^(?:code|errno|syscall|path|dest|address|port)(?::\s|\s[^:\s]+$)/,
  /^[A-Z][A-Z0-9_-]{1,40}$/,
  /^(?:CalledProcessError|subprocess\.CalledProcessError)\b/,
];

const FRAMES =
  /^(?:at \S|ERROR in \S+(?: \d+:\d+(?:-\d+(?::\d+)?)?)?$|#\d+\s|File "|\.{3} \d+ more|in <module>|from \S+:\d+:in |--> |\d+ \||\| )/;

const CAUSE = /^(?:Caused by|\[cause\]|Cause):\s*/i;

const CLASS_HEAD_START =
  /^(?:Uncaught |Unhandled |Exception in thread "[^"\n]{0,80}" |Fatal (?:Python )?|fatal error:? )?(?:[A-Za-z_$][\w$]{0,80}(?:\.|::)){0,12}[A-Z][\w$]{0,80}(?:Error|Exception|Fault|Failure|Panic|Interrupt)(?:\s*[:([]|\s*$|\s+at\b| - )/;
const BARE_ERROR = /^(?:Uncaught )?Error(?: \[[^\]\n]{1,80}\])?: \S/;
const NAMED_HEADS: readonly RegExp[] = [
  /\berror\[[A-Z]?\d+\]/,
  /\berror:? [A-Z]{1,8}-?\d{2,6}\b/,
  /^fatal: \S/i,
  /^panic: \S|^thread '[^'\n]{0,80}' panicked|^goroutine panic/,
  /^(?:Segmentation fault|Bus error|Illegal instruction|Aborted|Killed)\b/,
];

/** A message that states a failure without a code or a class. */
const WEAK = [
  /\b(?:error|errors|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|not found|no such|undefined|invalid|unexpected|denied|refused|timed out|timeout|missing|unsupported|conflict|unresolved|mismatch|exceeded|not permitted|unauthorized|forbidden|crash(?:ed)?)\b/i,
  /(?:Fehler|nicht gefunden|erreur|introuvable|不存在|失败|錯誤|错误|エラー|ошибка)/i,
];

/** Longer lines are prose or data: a code somewhere inside does not make them the head of an error. */
const SHORT_LINE = 100;
const MAX_LINE = 2_000;

function has(pattern: RegExp, line: string): boolean {
  return line.search(pattern) >= 0;
}

function isNamedHead(line: string): boolean {
  if (CLASS_HEAD_START.test(line) || BARE_ERROR.test(line) || NAMED_HEADS.some((pattern) => pattern.test(line)))
    return true;
  const code = line.search(CODE);
  if (code >= 0 && (line.length <= SHORT_LINE || /^(?:[:)\]]|\s*$)/.test(line.slice(code).replace(/^[\w-]+/, ''))))
    return true;
  return line.length <= SHORT_LINE && (has(ERROR_CLASS, line) || has(NUMBERED_CODE, line));
}

/** The role of one line whose log prefix is off. */
export function roleOf(line: string): LineRole {
  const bounded = line.slice(0, MAX_LINE);
  if (bounded === '') return 'other';
  if (FRAMES.test(bounded)) return 'frame';
  if (CAUSE.test(bounded)) return 'cause';
  if (WRAPPERS.some((pattern) => pattern.test(bounded))) return 'wrapper';
  if (isNamedHead(bounded)) return 'head';
  return WEAK.some((pattern) => pattern.test(bounded)) ? 'weak_head' : 'other';
}

/** A "Caused by" line without its label. */
export function stripCauseLabel(line: string): string {
  return line.replace(CAUSE, '');
}

/** Whether a line is an error that names itself by a code, an error class or an errno. Prose that mentions one is none. */
export function isStrong(line: string): boolean {
  const isNamed = has(CODE, line) || has(ERROR_CLASS, line) || has(NUMBERED_CODE, line);
  const role = roleOf(line);
  return isNamed && (role === 'head' || role === 'wrapper' || role === 'cause');
}
