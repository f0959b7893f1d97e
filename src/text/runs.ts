/** Longest run without white space that token patterns look at, in UTF-16 units: it bounds their backtracking. */
const MAX_RUN = 160;
const LONG_RUN = new RegExp(`\\S{${MAX_RUN + 1},}`, 'g');

/** A text whose runs without white space end after 160 units. Longer runs are encoded data, not names. */
export function shortenRuns(text: string): string {
  return text.replace(LONG_RUN, (run) => run.slice(0, MAX_RUN));
}

/** The runs that {@link shortenRuns} would cut, whole. */
export function longRuns(text: string): string[] {
  return text.match(LONG_RUN) ?? [];
}
