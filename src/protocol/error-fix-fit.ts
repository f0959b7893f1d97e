import { countChars } from '../kernel/index.ts';
import { cutAtWord } from '../text/index.ts';
import { type ErrorFixRecord, renderErrorFix } from './error-fix.ts';

/** A shorter summary says nothing and is left out. */
const MIN_SUMMARY = 20;
/** A signature is not cut below this. */
const MIN_SIGNATURE = 60;

/** The one-line form in at most `maxChars` characters: the summary is cut first, then source and signature, the fix last. */
export function fitErrorFix(record: ErrorFixRecord, maxChars: number): string {
  const excess = (candidate: ErrorFixRecord): number => countChars(renderErrorFix(candidate)) - maxChars;
  let fitted = record;
  if (excess(fitted) <= 0) return renderErrorFix(fitted);
  if (record.summary !== undefined) {
    const { summary: _, ...withoutSummary } = record;
    const room = Math.min(countChars(record.summary), 160) - excess(fitted);
    fitted =
      room < MIN_SUMMARY ? withoutSummary : { ...record, summary: cutAtWord(record.summary, room, { ellipsis: true }) };
    if (excess(fitted) <= 0) return renderErrorFix(fitted);
    fitted = withoutSummary;
  }
  if (excess(fitted) > 0) fitted = { signature: record.signature, fix: record.fix };
  if (excess(fitted) > 0) {
    const room = Math.max(MIN_SIGNATURE, Math.min(countChars(record.signature), 300) - excess(fitted));
    fitted = { ...fitted, signature: cutAtWord(record.signature, room, { ellipsis: true }) };
  }
  return cutAtWord(renderErrorFix(fitted), maxChars, { ellipsis: true });
}
