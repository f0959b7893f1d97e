/**
 * Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980), written for the baseline alone so that it
 * shares no code with what it is compared with.
 */
const STEP2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const STEP3: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const STEP4 = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
];

function isConsonant(word: string, i: number): boolean {
  const char = word[i] ?? '';
  if ('aeiou'.includes(char)) return false;
  return char !== 'y' || i === 0 || !isConsonant(word, i - 1);
}

/** Number of vowel-consonant sequences. */
function measure(stem: string): number {
  let count = 0;
  let afterVowel = false;
  for (let i = 0; i < stem.length; i++) {
    const consonant = isConsonant(stem, i);
    if (consonant && afterVowel) count += 1;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(stem: string): boolean {
  for (let i = 0; i < stem.length; i++) if (!isConsonant(stem, i)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

function endsShort(word: string): boolean {
  const n = word.length;
  return (
    n > 2 &&
    isConsonant(word, n - 1) &&
    !isConsonant(word, n - 2) &&
    isConsonant(word, n - 3) &&
    !'wxy'.includes(word.at(-1) ?? '')
  );
}

function stepOne(word: string): string {
  let out = word;
  if (out.endsWith('sses') || out.endsWith('ies')) out = out.slice(0, -2);
  else if (out.endsWith('s') && !out.endsWith('ss')) out = out.slice(0, -1);
  if (out.endsWith('eed')) {
    if (measure(out.slice(0, -3)) > 0) out = out.slice(0, -1);
  } else {
    const stem = out.endsWith('ed') ? out.slice(0, -2) : out.endsWith('ing') ? out.slice(0, -3) : undefined;
    if (stem !== undefined && hasVowel(stem)) {
      out = stem;
      if (/(at|bl|iz)$/.test(out)) out += 'e';
      else if (endsDouble(out) && !/[lsz]$/.test(out)) out = out.slice(0, -1);
      else if (measure(out) === 1 && endsShort(out)) out += 'e';
    }
  }
  return out.endsWith('y') && hasVowel(out.slice(0, -1)) ? `${out.slice(0, -1)}i` : out;
}

function replaceEnding(word: string, table: readonly (readonly [string, string])[]): string {
  for (const [ending, by] of table) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    return measure(stem) > 0 ? stem + by : word;
  }
  return word;
}

function stepFour(word: string): string {
  const ending = STEP4.filter((candidate) => word.endsWith(candidate)).sort((a, b) => b.length - a.length)[0];
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return measure(stem) > 1 && (ending !== 'ion' || /[st]$/.test(stem)) ? stem : word;
}

/** The stem of a lower-case English word. */
export function porter(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let out = stepFour(replaceEnding(replaceEnding(stepOne(word), STEP2), STEP3));
  if (out.endsWith('e')) {
    const stem = out.slice(0, -1);
    if (measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem))) out = stem;
  }
  return out.endsWith('ll') && measure(out) > 1 ? out.slice(0, -1) : out;
}
