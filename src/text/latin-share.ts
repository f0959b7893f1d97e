const LETTERS = /\p{L}/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;

/** Share of a text's letters that are Latin, 0 to 1; 1 for a text without letters. */
export function latinShare(text: string): number {
  const letters = count(text, LETTERS);
  return letters === 0 ? 1 : Math.min(1, count(text, LATIN_LETTERS) / letters);
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  text.replace(pattern, () => {
    found += 1;
    return '';
  });
  return found;
}
