import { countChars } from '../kernel/index.ts';
import { concreteTokens, countWords, searchTerms } from '../text/index.ts';
import { MIN_PART_WORDS, MIN_SIGNATURE_CHARS, MIN_WORDS } from './constants.ts';
import type { ErrorFixRecord } from './error-fix.ts';
import { type LabelledParts, parseLabelledParts } from './labelled-parts.ts';

/** A learning as parts, as text, or as both; or an error-fix entry. */
export type GateInput = (LabelledParts & { readonly content?: string }) | { readonly errorFix: ErrorFixRecord };

export type GateName = 'length' | 'context' | 'insight' | 'action' | 'specificity' | 'signature' | 'fix';

/** What the quality gates say of a text. */
export interface GateReport {
  readonly passed: boolean;
  /** The gates that failed, in the order length, structure, specificity. */
  readonly missing: readonly GateName[];
  /** Words of the whole text: Unicode word segments with a letter or digit. */
  readonly words: number;
}

/**
 * Length (20 words), structure (context, insight and action of three words each, as fields or as labelled parts of
 * the content) and specificity (a path, command, error, identifier, flag or version). An error-fix entry has its own:
 * a signature of eight chars with a telling word in it, and a fix of three words.
 */
export function checkQualityGates(input: GateInput): GateReport {
  return 'errorFix' in input ? checkErrorFix(input.errorFix) : checkLearning(input);
}

const PARTS = ['context', 'insight', 'action'] as const;

function checkLearning(input: LabelledParts & { readonly content?: string }): GateReport {
  const labelled = input.content === undefined ? {} : parseLabelledParts(input.content);
  const parts: LabelledParts = { ...labelled, ...input };
  const whole = input.content ?? PARTS.map((name) => parts[name] ?? '').join('\n');
  const words = countWords(whole);
  const missing: GateName[] = [];
  if (words < MIN_WORDS) missing.push('length');
  for (const name of PARTS) if (countWords(parts[name] ?? '') < MIN_PART_WORDS) missing.push(name);
  if (concreteTokens(whole).length === 0) missing.push('specificity');
  return { passed: missing.length === 0, missing, words };
}

/** Stems that any error message may hold: alone they tell nothing. */
const GENERIC_STEMS: ReadonlySet<string> = new Set(
  'error except fail failur fatal warn unknown occur someth wrong went issu problem bug unexpect'.split(' '),
);

function checkErrorFix({ signature, fix, summary = '' }: ErrorFixRecord): GateReport {
  const isTelling = searchTerms(signature).terms.some((term) => !GENERIC_STEMS.has(term));
  const missing: GateName[] = [];
  if (!isTelling || countChars(signature.trim()) < MIN_SIGNATURE_CHARS) missing.push('signature');
  if (countWords(fix) < MIN_PART_WORDS) missing.push('fix');
  return { passed: missing.length === 0, missing, words: countWords([signature, fix, summary].join(' ')) };
}
