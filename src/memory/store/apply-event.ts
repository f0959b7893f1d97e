import type { Database } from '../../storage/index.ts';
import type { EntryState, RevisionFields } from '../model.ts';
import type { TokenCounter } from '../passages.ts';
import type { LoggedEvent } from './events.ts';
import { indexText, unindexText } from './index-entry.ts';

interface RevisionRow {
  readonly key: number;
  readonly text: string;
  readonly fields: string;
  readonly content_hash: Uint8Array;
}

/** What `create` says of an entry beside its first revision. */
export interface CreatePayload {
  readonly kind: string;
  readonly type: string;
  readonly state: EntryState;
  readonly trust: string;
  readonly quality: boolean;
  readonly workflow?: string;
  readonly sourceKey?: string;
  readonly validFrom?: number;
}

function revisionOf(db: Database, event: LoggedEvent): RevisionRow {
  const row = db.get<RevisionRow>(
    'SELECT key, text, fields, content_hash FROM revision WHERE event_seq = ? AND entry_key = ?',
    [event.seq, event.entryKey ?? null],
  );
  if (row === undefined) throw new Error(`event ${event.seq} has no revision`);
  return row;
}

/**
 * Brings the derived tables from before an event to after it. The live path calls it right after the event and its
 * truth rows are written; `doctor --rebuild` calls it for every event in order, so both give equal tables.
 */
export function applyEvent(db: Database, event: LoggedEvent, countTokens: TokenCounter): void {
  const key = event.entryKey;
  // A replay meets the events of an entry that was erased later: they are blank, and its row is there already.
  if (key === undefined || (event.op !== 'create' && event.op !== 'erase' && isErased(db, key))) return;
  const payload = event.payload;
  switch (event.op) {
    case 'create':
      if (payload['kind'] === undefined) createBlank(db, event);
      else create(db, event, payload as unknown as CreatePayload, countTokens);
      return;
    case 'revise':
      revise(db, event, countTokens);
      return;
    case 'supersede':
      db.run("UPDATE entry SET state = 'superseded', valid_to = ?, superseded_by = ?, updated_at = ? WHERE key = ?", [
        event.at,
        Number(payload['by']),
        event.at,
        key,
      ]);
      return;
    case 'close':
      setState(db, key, 'closed', event.at);
      return;
    case 'restore':
      // Back to what it was before it was retracted.
      db.run('UPDATE entry SET state = ?, valid_to = ?, updated_at = ? WHERE key = ?', [
        typeof payload['state'] === 'string' ? payload['state'] : 'active',
        typeof payload['valid_to'] === 'number' ? payload['valid_to'] : null,
        event.at,
        key,
      ]);
      return;
    case 'reopen':
      db.run("UPDATE entry SET state = 'active', valid_to = NULL, superseded_by = NULL, updated_at = ? WHERE key = ?", [
        event.at,
        key,
      ]);
      return;
    case 'retract':
      setState(db, key, 'retracted', event.at);
      return;
    case 'erase':
      unindexText(db, key);
      blankEntry(db, key, event.at);
      return;
    case 'outcome':
      applyOutcomes(db, key);
      return;
    case 'update':
      update(db, event);
      return;
    case 'merge':
    case 'confirm':
    case 'import':
      return;
  }
}

function setState(db: Database, key: number, state: EntryState, at: number): void {
  db.run('UPDATE entry SET state = ?, valid_to = ?, updated_at = ? WHERE key = ?', [state, at, at, key]);
}

function isErased(db: Database, key: number): boolean {
  return db.get("SELECT 1 FROM entry WHERE key = ? AND state = 'erased'", [key]) !== undefined;
}

/** What is left of an erased entry says nothing of it but when; so a replay, which finds its events blank, gives the same row. */
function blankEntry(db: Database, key: number, at: number): void {
  db.run(
    `UPDATE entry SET kind = 'learning', type = 'general', state = 'erased', trust = 'agent', quality = 0, pinned = 0, suspect = 0, worked = 0,
       failed = 0, revision_key = (SELECT MIN(r.key) FROM revision r WHERE r.entry_key = entry.key), content_hash = X'', source_key = NULL,
       source_hash = NULL, workflow = NULL, superseded_by = NULL, valid_from = created_at, valid_to = ?1, updated_at = ?1, bag = NULL, terms = 0
     WHERE key = ?2`,
    [at, key],
  );
}

/** A replay meets the creation of an entry that was erased later. */
function createBlank(db: Database, event: LoggedEvent): void {
  db.run(
    `INSERT INTO entry (key, kind, type, state, revision_key, content_hash, trust, quality, valid_from, created_at, updated_at, terms)
     VALUES (?1, 'learning', 'general', 'erased', ?2, X'', 'agent', 0, ?3, ?3, ?3, 0)`,
    [event.entryKey ?? 0, revisionOf(db, event).key, event.at],
  );
}

function create(db: Database, event: LoggedEvent, payload: CreatePayload, countTokens: TokenCounter): void {
  const key = event.entryKey ?? 0;
  const revision = revisionOf(db, event);
  const fields = JSON.parse(revision.fields) as RevisionFields;
  const { bag, terms } = indexText(
    db,
    key,
    { kind: payload.kind === 'error_fix' ? 'error_fix' : 'learning', text: revision.text, fields },
    countTokens,
  );
  db.run(
    `INSERT INTO entry (key, kind, type, state, revision_key, content_hash, source_key, workflow, trust, quality,
       valid_from, created_at, updated_at, bag, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      key,
      payload.kind,
      payload.type,
      payload.state,
      revision.key,
      revision.content_hash,
      payload.sourceKey ?? null,
      payload.workflow ?? null,
      payload.trust,
      payload.quality ? 1 : 0,
      payload.validFrom ?? event.at,
      event.at,
      event.at,
      bag,
      terms,
    ],
  );
}

/** Makes the derived rows of an entry's current text anew; its vectors go and are made again in the background. */
export function reindexEntry(db: Database, key: number, countTokens: TokenCounter): void {
  const row = db.get<{ kind: string; text: string; fields: string }>(
    'SELECT e.kind, r.text, r.fields FROM entry e JOIN revision r ON r.key = e.revision_key WHERE e.key = ?',
    [key],
  );
  if (row === undefined) throw new Error(`no entry has the key ${key}`);
  unindexText(db, key);
  const kind = row.kind === 'error_fix' ? 'error_fix' : 'learning';
  const fields = JSON.parse(row.fields) as RevisionFields;
  const { bag, terms } = indexText(db, key, { kind, text: row.text, fields }, countTokens);
  db.run('UPDATE entry SET bag = ?, terms = ? WHERE key = ?', [bag, terms, key]);
}

function revise(db: Database, event: LoggedEvent, countTokens: TokenCounter): void {
  const key = event.entryKey ?? 0;
  const revision = revisionOf(db, event);
  db.run('UPDATE entry SET revision_key = ?, content_hash = ?, updated_at = ? WHERE key = ?', [
    revision.key,
    revision.content_hash,
    event.at,
    key,
  ]);
  reindexEntry(db, key, countTokens);
}

/** Type, pin and home change in place; new tags or files come as a revision of their own. */
function update(db: Database, event: LoggedEvent): void {
  const { type, pinned, sourceKey } = event.payload;
  if (typeof type === 'string')
    db.run('UPDATE entry SET type = ?, updated_at = ? WHERE key = ?', [type, event.at, event.entryKey ?? 0]);
  if (typeof sourceKey === 'string')
    db.run('UPDATE entry SET source_key = ? WHERE key = ?', [sourceKey, event.entryKey ?? 0]);
  if (typeof pinned === 'boolean')
    db.run('UPDATE entry SET pinned = ? WHERE key = ?', [pinned ? 1 : 0, event.entryKey ?? 0]);
}

/** Two failures with no success after them make an entry suspect. */
function applyOutcomes(db: Database, key: number): void {
  const rows = db.all<{ verdict: string }>(
    "SELECT verdict FROM outcome WHERE entry_key = ? AND verdict IN ('worked', 'failed') ORDER BY key",
    [key],
  );
  let failuresInARow = 0;
  let worked = 0;
  for (const { verdict } of rows) {
    if (verdict === 'worked') worked += 1;
    failuresInARow = verdict === 'worked' ? 0 : failuresInARow + 1;
  }
  db.run('UPDATE entry SET worked = ?, failed = ?, suspect = ? WHERE key = ?', [
    worked,
    rows.length - worked,
    failuresInARow >= 2 ? 1 : 0,
    key,
  ]);
}
