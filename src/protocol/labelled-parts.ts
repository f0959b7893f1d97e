/** The three parts of a learning, as far as a text labels them. */
export interface LabelledParts {
  readonly context?: string;
  readonly insight?: string;
  readonly action?: string;
}

type PartName = keyof LabelledParts;

/**
 * A label at the start of a line (`Context:`, `**Insight**`, `## Action`, with or without a list mark), or inside a
 * line: capitalised with a colon.
 */
const LABEL =
  /^[ \t>]{0,8}(?:[*+-][ \t]+)?(?:\d{1,2}[.)][ \t]+)?(?:#{1,6}[ \t]+(?:\*\*|__)?(context|insight|action)s?(?:\*\*|__)?[ \t]*:?|(?:\*\*|__)(context|insight|action)s?[ \t]*:?(?:\*\*|__)[ \t]*:?|(context|insight|action)s?[ \t]*:)|(?<=\s)(?:\*\*|__)?(Context|Insight|Action):(?:\*\*|__)?/gim;

function isInline(label: string): boolean {
  return /^[A-Z]/.test(label);
}

/** Splits a text at its labels. The first label of each name counts; an empty part is left out. */
export function parseLabelledParts(content: string): LabelledParts {
  const labels: { readonly name: PartName; readonly start: number; readonly end: number }[] = [];
  for (const match of content.matchAll(LABEL)) {
    const inline = match[4];
    const label = match[1] ?? match[2] ?? match[3] ?? inline ?? '';
    if (inline !== undefined && !isInline(inline)) continue;
    labels.push({ name: label.toLowerCase() as PartName, start: match.index, end: match.index + match[0].length });
  }
  const parts: Partial<Record<PartName, string>> = {};
  for (const [index, { name, end }] of labels.entries()) {
    const text = content.slice(end, labels[index + 1]?.start).trim();
    if (text !== '') parts[name] ??= text;
  }
  return parts;
}
