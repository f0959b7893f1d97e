import { canonicalJson, type IdSource } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { RevisionFields } from '../model.ts';
import type { CreatePayload } from '../store/apply-event.ts';
import { relinkEvents } from '../store/events.ts';
import { isErrorFix } from './revision-hash.ts';

interface RevisionRow {
  readonly key: number;
  readonly entry_key: number;
  readonly n: number;
  readonly text: string;
  readonly fields: string;
  readonly event_seq: number;
  readonly at: number;
}

/** Who is said to have done what the lost events said. */
const ACTOR = 'recovery';
const EMPTY_HASH = new Uint8Array(32);

/**
 * Makes what was saved of a damaged store whole enough to be replayed: each text gets back the event and the id that it
 * was written with, events without their text go, and the log is linked anew. Inside a write, on a file that nobody
 * uses yet. What a lost event said beside the text (type, a close, an outcome's effect) is lost.
 */
export function mendLog(db: Database, ids: IdSource, now: number): void {
  mendPayloads(db);
  for (const row of db.all<RevisionRow>(
    'SELECT key, entry_key, n, text, fields, event_seq, at FROM revision ORDER BY event_seq, key',
  )) {
    if (db.get('SELECT 1 FROM event WHERE seq = ?', [row.event_seq]) === undefined) insertLostEvent(db, row, now);
  }
  giveCreatesTheirText(db);
  db.run(`DELETE FROM event WHERE op IN ('create', 'revise') AND NOT EXISTS
    (SELECT 1 FROM revision r WHERE r.event_seq = event.seq AND r.entry_key = event.entry_key)`);
  db.run(`DELETE FROM event WHERE entry_key IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM event c WHERE c.entry_key = event.entry_key AND c.op IN ('create', 'erase'))`);
  for (const { key } of db.all<{ key: number }>(
    'SELECT DISTINCT entry_key AS key FROM event WHERE entry_key IS NOT NULL AND entry_key NOT IN (SELECT key FROM entry_identity)',
  )) {
    db.run('INSERT INTO entry_identity (key, id) VALUES (?, ?)', [key, ids.next('mem')]);
  }
  db.run("UPDATE sqlite_sequence SET seq = (SELECT COALESCE(MAX(seq), 0) FROM event) WHERE name = 'event'");
  relinkEvents(db);
}

/** A payload that is no JSON any more says nothing. */
function mendPayloads(db: Database): void {
  db.run("UPDATE event SET payload = '{}' WHERE payload <> '' AND NOT json_valid(payload)");
  const incomplete = db.all<{ seq: number; fields: string }>(
    `SELECT v.seq, r.fields FROM event v JOIN revision r ON r.event_seq = v.seq AND r.entry_key = v.entry_key
     WHERE v.op = 'create' AND v.payload <> '' AND v.payload ->> '$.kind' IS NULL AND r.text <> ''`,
  );
  for (const { seq, fields } of incomplete)
    db.run('UPDATE event SET payload = ? WHERE seq = ?', [canonicalJson(plainCreate(fields)), seq]);
}

function insertLostEvent(db: Database, row: RevisionRow, now: number): void {
  const op = row.n === 1 ? 'create' : 'revise';
  // Without a text it was erased: its event is blank, as the erased ones are.
  const payload = row.text === '' ? '' : canonicalJson(op === 'create' ? plainCreate(row.fields) : { revision: row.n });
  db.run(
    'INSERT INTO event (seq, at, op, entry_key, actor, payload, payload_hash, chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [row.event_seq, Math.min(row.at, now), op, row.entry_key, ACTOR, payload, EMPTY_HASH, EMPTY_HASH],
  );
}

function plainCreate(fieldsJson: string): CreatePayload {
  const kind = isErrorFix(JSON.parse(fieldsJson) as RevisionFields) ? 'error_fix' : 'learning';
  return { kind, type: kind === 'error_fix' ? 'context' : 'general', state: 'active', trust: 'agent', quality: false };
}

/** An entry whose first text is lost begins with the oldest one that is left. */
function giveCreatesTheirText(db: Database): void {
  const orphans = db.all<{ seq: number; entry_key: number }>(
    `SELECT v.seq, v.entry_key FROM event v WHERE v.op = 'create' AND NOT EXISTS
       (SELECT 1 FROM revision r WHERE r.event_seq = v.seq AND r.entry_key = v.entry_key)`,
  );
  for (const { seq, entry_key } of orphans) {
    db.run(
      'UPDATE revision SET event_seq = ? WHERE key = (SELECT key FROM revision WHERE entry_key = ? ORDER BY n LIMIT 1)',
      [seq, entry_key],
    );
  }
}
