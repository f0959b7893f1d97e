/** Context, insight and action of a learning, where its text labels them. */
export interface LabelledParts {
  readonly context?: string;
  readonly insight?: string;
  readonly action?: string;
}

type PartName = keyof LabelledParts;

/**
 * A label: `Context:`, `**Insight**`, `## Action`, `- Context -`; at the start of a line in any case, or inside a line
 * capitalised and with a colon.
 */
const LABEL =
  /(?:^|\n)[ \t]*(?:#{1,6}[ \t]+(?:\*\*)?(context|insight|action)s?(?:\*\*)?[ \t]*:?|(?:[-*+][ \t]+)?(?:\*\*|__)(context|insight|action)s?[ \t]*:?(?:\*\*|__)[ \t]*:?|(?:[-*+][ \t]+)?(context|insight|action)s?[ \t]*[:：])|(?<=\s)(?:\*\*)?(Context|Insight|Action)s?(?:\*\*)?:(?:\*\*)?/gi;

/** The labelled parts of a text; each runs to the next label. The first of two equal labels counts. */
export function parseLabelledParts(text: string): LabelledParts {
  const labels = [...text.matchAll(LABEL)].flatMap((match) => {
    const inline = match[4];
    // Inside a line only the capitalised word is a label: "in this context: …" is prose.
    if (inline !== undefined && !/^[A-Z]/.test(inline)) return [];
    const name = (match[1] ?? match[2] ?? match[3] ?? inline ?? '').toLowerCase() as PartName;
    return [{ name, start: match.index, end: match.index + match[0].length }];
  });
  const parts: { -readonly [Name in PartName]?: string } = {};
  labels.forEach(({ name, end }, i) => {
    const value = text.slice(end, labels[i + 1]?.start ?? text.length).trim();
    if (value !== '') parts[name] ??= value;
  });
  return parts;
}
