import { isIdentifier } from './identifier.ts';
import { toCompatibilityForm } from './normalise.ts';
import { polarity } from './polarity.ts';
import { longRuns, shortenRuns } from './runs.ts';
import { scanChunks } from './scan.ts';
import { signatureKeys } from './signature/keys.ts';
import { pickSignature } from './signature/pick.ts';

/** Words of the one-line form of an error-fix entry: they say nothing of the entry. */
const TEMPLATE_WORDS = /\bERROR-FIX:|\|\s?(?:FIX|SOURCE):/g;

const PATTERNS: readonly RegExp[] = [
  // Paths with either separator, and URLs.
  /(?:[A-Za-z]:)?[\w.@~$-]*(?:[\\/][\w.@~$+-]+)+[\\/]?/g,
  // Flags.
  /(?<![\w-])--?[A-Za-z][\w-]*/g,
  // Numbers, versions, percentages.
  /(?<![\w.])v?\d+(?:[.,:/]\d+)*%?/gi,
  // Codes and constants in capitals.
  /(?<![\w$])[A-Z][A-Z0-9_]{2,}(?![\w$])/g,
  // Variables and scoped packages.
  /[$@][A-Za-z_][\w/-]*/g,
];

const QUOTED =
  /(?<![\w])(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'(?!\w)|`([^`\n]{1,200})`|[“„]([^“”\n]{1,200})[”“]|«([^»\n]{1,200})»|「([^」\n]{1,200})」)/g;

/**
 * What must be equal in two texts that say the same: numbers, versions, paths, identifiers, flags, codes, quoted
 * strings, the signature of an error, negations. Case counts, except in negations.
 */
export function hardTokens(text: string): ReadonlySet<string> {
  const whole = toCompatibilityForm(text).replace(TEMPLATE_WORDS, ' ');
  const plain = shortenRuns(whole);
  const tokens = new Set<string>([...polarity(plain), ...longRuns(whole)]);
  for (const pattern of PATTERNS) for (const [token] of plain.matchAll(pattern)) tokens.add(trim(token));
  for (const match of plain.matchAll(QUOTED)) {
    const quoted = match.slice(1).find((group) => group !== undefined) ?? '';
    tokens.add(`"${quoted.replace(/\s+/g, ' ').trim()}"`);
  }
  scanChunks(plain, (chunk) => {
    if (chunk.kind === 'compound' && isIdentifier(chunk.text)) tokens.add(trim(chunk.text));
  });
  const signature = pickSignature(plain);
  if (signature?.class === 'strong') tokens.add(`key:${signatureKeys(signature.display).exact}`);
  tokens.delete('');
  return tokens;
}

/** A version is the same with and without its `v`; Windows and POSIX separators are equal. */
function trim(token: string): string {
  return token.replaceAll('\\', '/').replace(/^v(?=\d)/i, '');
}
