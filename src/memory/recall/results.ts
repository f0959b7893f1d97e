import { countChars } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import { cutAtWord } from '../../text/index.ts';
import { plainText, withEntries } from './findings.ts';
import type { RecallResult } from './request.ts';
import type { Hit } from './search.ts';

/** Chars of one result. */
const MAX_CONTENT = 4_000;
/** UTF-16 units of all results as JSON: what the rest of an answer leaves of 24,000 characters. */
const MAX_RESULTS = 16_000;
/** What a result costs beside its content. */
const RESULT_OVERHEAD = 280;
const LEAST_CONTENT = 20;

/** Results by score, each cut so that all of them fit; what is cut is said with its length. */
export function toResults(db: Database, hits: readonly Hit[], topK: number, asOf: number | undefined): RecallResult[] {
  const given = withEntries(db, hits.slice(0, topK));
  const texts = given.map(({ entry }) => plainText(db, entry, asOf));
  const share = fairShare(texts, MAX_RESULTS - given.length * RESULT_OVERHEAD);
  return given.map(({ entry, hit: { score, floor, passesFloor, evidence } }, i) => {
    const text = texts[i] ?? '';
    const content = cutAtWord(text, share, { ellipsis: true });
    return {
      id: entry.id,
      kind: entry.kind,
      type: entry.type,
      content,
      ...(content === text ? {} : { contentChars: countChars(text) }),
      score: score.value,
      floor,
      passesFloor,
      match: score.match,
      trust: entry.trust,
      createdAt: entry.createdAt,
      hasVector: evidence.dense !== undefined,
    };
  });
}

/** The largest limit for each text at which all of them together stay inside the budget, as JSON. */
function fairShare(texts: readonly string[], budget: number): number {
  const cost = (limit: number): number =>
    texts.reduce((sum, text) => sum + JSON.stringify(text.slice(0, limit)).length, 0);
  let low = LEAST_CONTENT;
  let high = MAX_CONTENT;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (cost(middle) <= budget) low = middle;
    else high = middle - 1;
  }
  return low;
}
