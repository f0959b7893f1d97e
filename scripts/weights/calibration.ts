/** Texts that the rounding is fitted on: our own sentences, and drawn ones that cover the vocabulary. */

/** Tokens of the drawn texts together; the sentences of `calibration-texts.txt` add about 1,800. */
const DRAWN_TOKENS = 1_500;
const SHORTEST = 4;
const LONGEST = 40;
/** The first id of the vocabulary's words; they are in falling order of frequency. */
const FIRST_WORD = 1_996;
const CLASSIFY = 101;
const SEPARATE = 102;
const FULL_STOP = 1_012;

/** A linear congruence: the same draws everywhere. */
function createDraw(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Token sequences whose words have about the frequencies of prose (log-uniform by rank). */
export function drawTexts(vocabularySize: number): number[][] {
  const draw = createDraw(20_260_101);
  const ranks = Math.log(vocabularySize - FIRST_WORD);
  const texts: number[][] = [];
  for (let total = 0; total < DRAWN_TOKENS; total += texts.at(-1)?.length ?? 0) {
    const words = SHORTEST + Math.floor(draw() * (LONGEST - SHORTEST));
    const ids = Array.from({ length: words }, () => FIRST_WORD - 1 + Math.floor(Math.exp(draw() * ranks)));
    texts.push([CLASSIFY, ...ids, ...(draw() < 0.7 ? [FULL_STOP] : []), SEPARATE]);
  }
  return texts;
}
