const OPENING = /(?:<|&lt;)reflexion_context(?:>|&gt;)/i;
const FINDING = /(?:<|&lt;)finding\s+id=/i;
const DATA_MARK = /^cairn-data [0-9a-f]{16} (?:begin|end)$/m;

/**
 * Whether a text is a recalled block, raw or escaped, or carries the marks of one. Prose that only names the tag is
 * none: a block has an opening tag and a finding.
 */
export function looksLikeRecalledBlock(text: string): boolean {
  return DATA_MARK.test(text) || (OPENING.test(text) && FINDING.test(text));
}
