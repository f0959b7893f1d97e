import type { Database } from '../../storage/index.ts';
import type { RememberResult } from './request.ts';

/** How long an event id is remembered, in milliseconds: 30 days. */
const REPLAY_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** What an event id was answered the first time. */
export function readReplay(db: Database, eventId: string): RememberResult | undefined {
  const row = db.get<{ answer: string }>('SELECT answer FROM idempotency WHERE event_id = ?', [eventId]);
  return row === undefined ? undefined : (JSON.parse(row.answer) as RememberResult);
}

/** Keeps an answer for its event id and drops those that are too old. A preview is text of an entry and is not kept. */
export function writeReplay(db: Database, eventId: string, result: RememberResult, at: number): void {
  const { preview: _, ...kept } = result;
  db.run('DELETE FROM idempotency WHERE at < ?', [at - REPLAY_LIFETIME_MS]);
  db.run('INSERT OR REPLACE INTO idempotency (event_id, answer, at) VALUES (?, ?, ?)', [
    eventId,
    JSON.stringify(kept),
    at,
  ]);
}
