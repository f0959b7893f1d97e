const ASCII = /^[\0-\x7f]*$/;

/** Whether every character is ASCII, so that Unicode normalisation has nothing to do. */
function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * At most 30 marks in a row, more than any script has (the stream-safe limit of UAX 15): normalising longer runs takes
 * quadratic time. `onRemoved` hears how many were taken out.
 */
export function limitMarks(text: string, onRemoved?: (count: number) => void): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, (run: string, kept: string) => {
    onRemoved?.(Array.from(run).length - Array.from(kept).length);
    return kept;
  });
}

/** NFKC, where the text needs it. */
export function toCompatibilityForm(text: string): string {
  return isAscii(text) ? text : limitMarks(text).normalize('NFKC');
}

/** Case folding as far as JavaScript has it: lower case, `ß` as `ss`, one sigma. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/** The form in which two texts count as the same statement: NFKC, case-folded, white space collapsed. */
export function normaliseForIdentity(text: string): string {
  return toCompatibilityForm(foldCase(toCompatibilityForm(text)))
    .replace(/\s+/g, ' ')
    .trim();
}
