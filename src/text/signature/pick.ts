import { cleanText, collapseWhitespace } from '../clean.ts';
import { cutAtWord } from '../cut.ts';
import { redactSecrets } from '../redact/redact.ts';
import { isStrong, type LineRole, roleOf, stripCauseLabel } from './line-role.ts';
import { hasErrorLevel, stripLogPrefix } from './log-prefix.ts';

export type SignatureClass = 'strong' | 'weak';

/** The line that names an error. */
export interface Signature {
  /** As seen, without log prefix and secrets, at most 300 characters. */
  readonly display: string;
  /** `strong` where it holds a code, an error class or an errno. */
  readonly class: SignatureClass;
  /** The innermost "Caused by", where there is one and it says something else. */
  readonly second?: string;
}

/** Longest display form and key, in characters. */
const MAX_SIGNATURE = 300;
/** Lines that are looked at, from the start and from the end of a longer text. */
const MAX_LINES = 2_000;
const MAX_LINE = 4_000;

const TRACEBACK = /Traceback \(most recent call last\)/;

/**
 * Picks the line that names the error in a message, a log or a trace; nothing where no line does. Wrapper lines
 * ("failed with exit code 1") are taken only when no other line fits. Linear in the length of the text.
 */
export function pickSignature(text: string): Signature | undefined {
  const rawLines = toRawLines(text);
  const lines = rawLines.map(stripLogPrefix);
  const roles = lines.map((line, i) => roleInLog(line, rawLines[i] ?? ''));
  const ranked = [pythonHead(lines), ...RANKED_ROLES.map((role) => roles.indexOf(role))];
  const chosen = ranked.find((index) => index >= 0);
  if (chosen === undefined) return undefined;
  const display = toDisplay(stripCauseLabel(withMessage(lines, chosen)));
  if (display === '') return undefined;
  const cause = lines[roles.lastIndexOf('cause')];
  const second = cause === undefined ? undefined : toDisplay(stripCauseLabel(cause));
  return {
    display,
    class: isStrong(display) ? 'strong' : 'weak',
    ...(second === undefined || second === '' || second === display ? {} : { second }),
  };
}

const RANKED_ROLES: readonly LineRole[] = ['head', 'weak_head', 'cause', 'wrapper'];

function toRawLines(text: string): string[] {
  const lines = cleanText(text).text.split('\n');
  const bounded = lines.length <= 2 * MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), ...lines.slice(-MAX_LINES)];
  return bounded.map((line) => line.slice(0, MAX_LINE));
}

/** A line that its log calls an error is one, even in words that no rule knows. */
function roleInLog(line: string, rawLine: string): LineRole {
  const role = roleOf(line);
  return role === 'other' && line !== rawLine.trim() && hasErrorLevel(rawLine) ? 'weak_head' : role;
}

const MESSAGE_FOLLOWS = /^thread '[^'\n]{0,80}' (?:\(\d+\) )?panicked at \S+:$/;

/** Rust says where it panicked on one line and why on the next. */
function withMessage(lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  return MESSAGE_FOLLOWS.test(line) ? `${line} ${lines[index + 1] ?? ''}` : line;
}

/** In a Python trace the error is named at the end: the first line after the last "Traceback" that is no frame. */
function pythonHead(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line));
  if (start < 0) return -1;
  const heads = /^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|\w)(?::|$)/;
  return lines.findIndex((line, index) => index > start && heads.test(line) && roleOf(line) !== 'wrapper');
}

function toDisplay(line: string): string {
  return cutAtWord(redactSecrets(collapseWhitespace(line)).text, MAX_SIGNATURE);
}
