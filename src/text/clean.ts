import { limitMarks } from './normalise.ts';
import { isEmoji, isMark, isOfJoiningScript, isPictograph } from './unicode.ts';

/** Text without what a reader cannot see, and how many sequences and characters were taken out or replaced. */
export interface CleanedText {
  readonly text: string;
  readonly removed: number;
}

const NOTHING_TO_DO = /^[\t\n\x20-\x7e]*$/;

/** Terminal control sequences of ECMA-48: CSI, OSC, DCS and kin, two-byte escapes. One that never ends loses its introducer only. */
const ANSI_SEQUENCE =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]/g;

const JOINERS = /[\u200c\u200d]+/g;
const BEYOND_ASCII = /^[^\0-\x7f\s]+$/;

/**
 * Makes untrusted text safe to store and to show: NFC, without control characters (LF and TAB stay), terminal
 * sequences, bidi controls, zero-width and tag characters, soft hyphens and noncharacters. Joiners stay inside emoji
 * and in scripts that need them; lone surrogates become U+FFFD; a character keeps at most 30 marks. CR LF and
 * CR become LF and are not counted.
 */
export function cleanText(text: string): CleanedText {
  if (NOTHING_TO_DO.test(text)) return { text, removed: 0 };
  let removed = 0;
  const drop = (replacement: string) => (): string => {
    removed += 1;
    return replacement;
  };
  const limitAndCompose = (part: string): string =>
    limitMarks(part, (count) => {
      removed += count;
    }).normalize('NFC');
  const visible = text
    .replace(/\r\n?/g, '\n')
    .replace(ANSI_SEQUENCE, drop(''))
    .replace(/\p{Surrogate}/gu, drop('\ufffd'))
    // C0 and C1 controls but LF and TAB, soft hyphen, bidi controls, zero-width and tag characters, noncharacters.
    .replace(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u034f|\p{Noncharacter_Code_Point}/gu,
      drop(''),
    );
  // Composed before joiners are judged: composing moves marks, and a mark's place must not change the verdict.
  const joined = limitAndCompose(visible)
    .replace(JOINERS, (run: string, at: number, whole: string) => {
      const kept = isJoinerNeeded(whole, at, at + run.length) ? run.slice(0, 1) : '';
      removed += run.length - kept.length;
      return kept;
    })
    .replace(/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu, (run: string, at: number, whole: string) => {
      const [first = '', ...others] = run;
      const kept = isSelectorNeeded(charBefore(whole, at), first) ? first : '';
      removed += others.length + (kept === '' ? 1 : 0);
      return kept;
    });
  return { text: limitAndCompose(joined), removed };
}

/** Every run of white space, line ends included, as one space; none at the ends. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function charBefore(text: string, index: number): string {
  const low = text.charCodeAt(index - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && index >= 2;
  return text.slice(Math.max(0, isPair ? index - 2 : index - 1), index);
}

function charAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** Whether what a run of joiners stands between, marks set aside, is one emoji or one word of a script with joiners. */
function isJoinerNeeded(text: string, start: number, end: number): boolean {
  let before = charBefore(text, start);
  for (let at = start; isMark(before); before = charBefore(text, at)) at -= before.length;
  let after = charAfter(text, end);
  for (let at = end; isMark(after); after = charAfter(text, at)) at += after.length;
  return (isOfJoiningScript(before) && isOfJoiningScript(after)) || (isPictograph(before) && isPictograph(after));
}

function isSelectorNeeded(base: string, selector: string): boolean {
  return selector === '\ufe0f' || selector === '\ufe0e' ? isEmoji(base) : BEYOND_ASCII.test(base);
}
