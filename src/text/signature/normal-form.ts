import { collapseWhitespace } from '../clean.ts';
import { cutAtWord } from '../cut.ts';
import { foldCase, toCompatibilityForm } from '../normalise.ts';
import { replacePaths } from './paths.ts';

const MAX_KEY = 300;

type Rule = readonly [pattern: RegExp, replacement: string];

const QUOTES: Rule = [/``|''|[`´"'‘’‚‛“”„‟«»‹›「」『』〝〞＂＇]/g, "'"];
/** French quotes stand apart from what they quote. */
const QUOTE_PADDING: Rule = [/([«‹])\s+|\s+([»›])/g, '$1$2'];

/** What changes from one occurrence of an error to the next. Order matters: the longer form comes first. */
const VARIABLE_PARTS: readonly Rule[] = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2})\b)?/g, '<time>'],
  [/\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x(?![89cd][0-9a-f]{7}\b)[0-9a-f]{3,16}\b/gi, '<addr>'],
  [
    /\[?\b(?:\d{1,3}\.){3}\d{1,3}\b\]?|\[(?=[0-9a-f]*:)[0-9a-f:]{2,39}\]|(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b/gi,
    '<ip>',
  ],
  [/(<ip>|\blocalhost|\b[\w-]+(?:\.[\w-]+)+|::):\d{2,5}\b/g, '$1:<n>'],
  [/(^|[\s/=(@'])v?\d+\.\d+\.\d+(?:[-+.][0-9a-z.-]{1,40})?/gi, '$1<ver>'],
  [/(^|[\s(=@'])v\d+(?:\.\d+)*\b/g, '$1<ver>'],
  [/(?<![\w.])\d[\d.,]*\s?(?:ns|µs|μs|us|ms|s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|days?)\b/gi, '<dur>'],
  [/(?<![\w.])\d[\d.,]*\s?(?:bytes?|[kmgt]i?b|b)\b/gi, '<size>'],
  [/\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b/gi, '<hash>'],
];

const LINE_AND_COLUMN: readonly Rule[] = [
  [
    /,?\s*\b(?:(?:at|on|in|near) )?(?:line|zeile|ligne|línea|linea|строка|ln)[ :]+\d+(?:\s*[,:]\s*(?:col(?:umn)?|spalte|colonne|char(?:acter)?)?[ :]*\d+)?/gi,
    '',
  ],
  [/,?\s*\b(?:col(?:umn)?|spalte|colonne|position)[ :]+\d+/gi, ''],
];

/** Numbers after these words are part of the error's name. */
const NAMED_NUMBER =
  /((?:\bexit(?:ed)?(?: with)?(?: (?:code|status))?|\bcode|\berrno|\bstatus|\bsignal|\bsqlstate|\bhttp(?:\/\d(?:\.\d)?)?|\berror)[\s:=#([]{1,3}-?)(\d+)/gi;

const CLOSING = /[\s.,;:!?…([{-]+$/;
const LOCATION_DASH = /^(\S+\.\w{1,10})\s*(?::|-|–)\s+/;

function apply(text: string, rules: readonly Rule[]): string {
  return rules.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text);
}

/** Keeps named numbers out of reach of the number rule by spelling them with a private-use sign before each. */
function replaceFreeNumbers(text: string): string {
  return text
    .replace(NAMED_NUMBER, '$1\ue000$2')
    .replace(
      /(?<![\p{L}\p{N}_<]|\p{L}-)[-+]?\d(?:[\d.,]*\d)?(?![\p{L}\p{N}_>])/gu,
      (number, at: number, whole: string) => (whole.charAt(at - 1) === '\ue000' ? number : '<n>'),
    )
    .replaceAll('\ue000', '');
}

/**
 * The form of an error line that is the same for every occurrence: folders, lines, addresses, ids, versions, times,
 * sizes and free numbers are replaced, quotes made equal, codes kept. At most 300 characters.
 */
export function toNormalForm(display: string): string {
  const quoted = apply(toCompatibilityForm(display.replaceAll('\ue000', '')), [QUOTE_PADDING, QUOTES]);
  const located = apply(replacePaths(quoted), LINE_AND_COLUMN);
  const parts = replaceFreeNumbers(apply(located, VARIABLE_PARTS));
  const folded = collapseWhitespace(foldCase(parts)).replace(LOCATION_DASH, '$1: ');
  return cutAtWord(folded, MAX_KEY).replace(CLOSING, '');
}
