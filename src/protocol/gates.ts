import { countChars } from '../kernel/index.ts';
import { concreteTokens, countWords, searchTerms } from '../text/index.ts';
import { MIN_WORDS } from './constants.ts';
import type { ErrorFixRecord } from './error-fix.ts';
import { type LabelledParts, parseLabelledParts } from './labelled-parts.ts';

export type GateName = 'length' | 'context' | 'insight' | 'action' | 'specificity' | 'signature' | 'fix';

/** What the quality gates say of a text. */
export interface GateReport {
  readonly passed: boolean;
  readonly missing: readonly GateName[];
  /** Unicode word segments with a letter or digit. */
  readonly words: number;
}

/** Words of each of context, insight and action, and of a fix. */
const MIN_PART_WORDS = 3;
const MIN_SIGNATURE_CHARS = 8;

export type GateInput = (LabelledParts & { readonly content?: string }) | { readonly errorFix: ErrorFixRecord };

/**
 * Length (20 words), structure (context, insight and action of three words each, as fields or as labelled parts of
 * the content) and specificity (a path, command, error, identifier, flag or version). An error-fix entry has its own:
 * a signature of eight chars with something informative in it, and a fix of three words.
 */
export function checkQualityGates(input: GateInput): GateReport {
  return 'errorFix' in input ? checkErrorFix(input.errorFix) : checkLearning(input);
}

function checkErrorFix({ signature, fix, summary }: ErrorFixRecord): GateReport {
  const missing: GateName[] = [];
  const { terms, identifiers } = searchTerms(signature);
  if (countChars(signature) < MIN_SIGNATURE_CHARS || terms.length + identifiers.length === 0) missing.push('signature');
  if (countWords(fix) < MIN_PART_WORDS) missing.push('fix');
  return { passed: missing.length === 0, missing, words: countWords([signature, fix, summary ?? ''].join(' ')) };
}

function checkLearning(input: LabelledParts & { readonly content?: string }): GateReport {
  const labelled = input.content === undefined ? {} : parseLabelledParts(input.content);
  const parts = { ...labelled, ...input };
  const whole = input.content ?? [input.context, input.insight, input.action].filter((part) => part !== undefined).join('\n');
  const words = countWords(whole);
  const missing: GateName[] = [];
  if (words < MIN_WORDS) missing.push('length');
  for (const name of ['context', 'insight', 'action'] as const) {
    if (countWords(parts[name] ?? '') < MIN_PART_WORDS) missing.push(name);
  }
  if (concreteTokens(whole).length === 0) missing.push('specificity');
  return { passed: missing.length === 0, missing, words };
}
