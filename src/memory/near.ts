import { DEDUP_THRESHOLD, roundScore } from '../protocol/index.ts';
import { hardTokens, informativeStems, tokenise } from '../text/index.ts';

/** What the near-duplicate rule looks at in one text, computed once. */
export interface TextProfile {
  /** Informative stems in order; negations and words of order are kept. */
  readonly stems: readonly string[];
  /** Numbers, paths, identifiers, codes, polarity: what must be equal. */
  readonly hard: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
}

export function profileText(text: string): TextProfile {
  return {
    stems: informativeStems(text),
    hard: hardTokens(text),
    terms: new Set(tokenise(text).map(({ term }) => term)),
  };
}

function equalSets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size !== b.size) return false;
  for (const item of a) if (!b.has(item)) return false;
  return true;
}

function isSubsequence(short: readonly string[], long: readonly string[]): boolean {
  let at = 0;
  for (const item of long) if (at < short.length && item === short[at]) at += 1;
  return at === short.length;
}

/** More stems than the shorter text by which the longer one may still be a repeat: max(2, 10 %). */
function allowedExtra(shorter: number): number {
  return Math.max(2, Math.floor(shorter / 10));
}

/**
 * Whether one text says the other again: equal hard tokens, and the stems of one contained in the other's in the same
 * order with hardly anything more. "increase / decrease the timeout" differ in a stem each and are never repeats.
 */
export function isRestatement(a: TextProfile, b: TextProfile): boolean {
  const [short, long] = a.stems.length <= b.stems.length ? [a.stems, b.stems] : [b.stems, a.stems];
  if (short.length === 0 || long.length - short.length > allowedExtra(short.length)) return false;
  return equalSets(a.hard, b.hard) && isSubsequence(short, long);
}

/** Share of terms that two texts have in common, 0 to 1. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 0;
  let common = 0;
  for (const item of a) if (b.has(item)) common += 1;
  return common / (a.size + b.size - common);
}

/** Texts of more passages than this are compared by their terms alone. */
const MAX_COMPARED_PASSAGES = 4;

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function meanBest(from: readonly Float32Array[], to: readonly Float32Array[]): number {
  let sum = 0;
  for (const vector of from) sum += Math.max(...to.map((other) => cosine(vector, other)));
  return sum / from.length;
}

/**
 * The lower of the two directions' mean best-passage cosine; `undefined` where a side has no vectors or too many
 * passages to be compared by them.
 */
export function bestMeanCosine(a: readonly Float32Array[], b: readonly Float32Array[]): number | undefined {
  const isComparable = (vectors: readonly Float32Array[]): boolean =>
    vectors.length > 0 && vectors.length <= MAX_COMPARED_PASSAGES;
  return isComparable(a) && isComparable(b) ? Math.min(meanBest(a, b), meanBest(b, a)) : undefined;
}

/** A text as the similarity sees it; `vectors` of all its passages in one space, or none. */
export interface ComparedText {
  readonly profile: TextProfile;
  readonly vectors?: readonly Float32Array[];
}

/**
 * `s`: how alike two texts are, in [0, 1], four decimals. With vectors the lower of the two directions' mean
 * best-passage cosine; without, or for long texts, a line through the Jaccard share of their terms that crosses the
 * duplicate threshold at 0.80.
 */
export function similarity(a: ComparedText, b: ComparedText): number {
  const cosine = a.vectors === undefined || b.vectors === undefined ? undefined : bestMeanCosine(a.vectors, b.vectors);
  const raw = cosine ?? DEDUP_THRESHOLD + 0.9 * (jaccard(a.profile.terms, b.profile.terms) - 0.8);
  return roundScore(Math.min(1, Math.max(0, raw)));
}

/** `s` above this is a near-duplicate when the texts are also restatements of each other. */
export function isNearScore(score: number): boolean {
  return score > DEDUP_THRESHOLD;
}
