import { cleanText } from '../text/index.ts';

/** A `<`, raw or escaped as often as text goes through escapers: `&lt;`, `&amp;lt;`, `&#60;`, a JSON escape. */
const LESS_THAN = '(?:<|&(?:amp;){0,8}(?:lt|#0{0,4}60|#x0{0,4}3c);|\\\\{1,8}u003c)';
const OPENING = new RegExp(`${LESS_THAN}\\s{0,8}reflexion_context\\b`, 'i');
const FINDING = new RegExp(`${LESS_THAN}\\s{0,8}finding(?=[\\s/>&\\\\])`, 'i');
const FRAME_LINE = /^[ \t>]{0,16}cairn-data [0-9a-f]{16} (?:begin|end)[ \t]*\r?$/m;

/**
 * Whether a text is recalled data said back: an opening `reflexion_context` tag and a `finding` element, raw or
 * escaped, or the line of a nonce frame. Prose that only names the tag is none.
 */
export function looksLikeRecalledBlock(text: string): boolean {
  const { text: cleaned } = cleanText(text);
  return FRAME_LINE.test(cleaned) || (OPENING.test(cleaned) && FINDING.test(cleaned));
}
