/** The word pieces of a BERT vocabulary; a piece's id is its line number from 0. */
export interface Vocabulary {
  readonly size: number;
  /** UTF-16 units of the longest piece: no longer one needs to be tried. */
  readonly longest: number;
  readonly unknown: number;
  readonly classify: number;
  readonly separate: number;
  idOf(piece: string): number | undefined;
}

/** Reads `vocab.txt`: one piece a line. Throws when a special token is missing: then it is some other file. */
export function parseVocabulary(text: string): Vocabulary {
  const ids = new Map<string, number>();
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    ids.set(text.slice(start, end), ids.size);
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  const special = (piece: string): number => {
    const id = ids.get(piece);
    if (id === undefined) throw new Error(`The vocabulary has no ${piece}.`);
    return id;
  };
  return {
    size: ids.size,
    longest,
    unknown: special('[UNK]'),
    classify: special('[CLS]'),
    separate: special('[SEP]'),
    idOf: (piece) => ids.get(piece),
  };
}
