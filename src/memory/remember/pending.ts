import { createHmac, timingSafeEqual } from 'node:crypto';
import { CairnError, type IdSource } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { Draft } from '../draft.ts';
import type { EntryType, Provenance, RevisionFields } from '../model.ts';
import { hashKeyOf } from '../store/meta.ts';

/** How long a question stays open, in milliseconds: 7 days. */
const PENDING_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** More than this many open questions and the oldest expire. */
const MAX_PENDING = 200;

/** Decision of an item that made room for newer ones. */
const DISPLACED = 'displaced';

export type PendingReason = 'prompted' | 'near_duplicate';

/** A draft that waits for a decision, redacted like everything that reaches the disk. */
export interface PendingPayload {
  readonly kind: Draft['kind'];
  readonly text: string;
  readonly fields: RevisionFields;
  readonly type: EntryType;
  readonly quality: boolean;
  readonly workflow?: string;
  readonly provenance: Omit<Provenance, 'at'>;
  readonly duplicateOf?: string;
  readonly supersedes?: readonly string[];
}

export interface PendingItem {
  readonly id: string;
  readonly payload: PendingPayload;
  readonly contentHash: Uint8Array;
  readonly reason: PendingReason;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decided?: string;
}

interface PendingRow {
  readonly id: string;
  readonly payload: string;
  readonly content_hash: Uint8Array;
  readonly reason: PendingReason;
  readonly created_at: number;
  readonly expires_at: number;
  readonly decided: string | null;
}

function toItem(row: PendingRow): PendingItem {
  return {
    id: row.id,
    payload: JSON.parse(row.payload) as PendingPayload,
    contentHash: row.content_hash,
    reason: row.reason,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decided === null ? {} : { decided: row.decided }),
  };
}

/** Binds a token to this store, this content and this expiry; 16 hex digits of an HMAC. */
function signatureOf(db: Database, item: Pick<PendingItem, 'id' | 'contentHash' | 'expiresAt'>): string {
  return createHmac('sha256', hashKeyOf(db))
    .update(`${item.id}\n${Buffer.from(item.contentHash).toString('hex')}\n${item.expiresAt}`)
    .digest('hex')
    .slice(0, 16);
}

/** The token of an open item; always the same for the same item, so that it can be given again. */
export function tokenOf(db: Database, item: Pick<PendingItem, 'id' | 'contentHash' | 'expiresAt'>): string {
  return `${item.id}.${signatureOf(db, item)}`;
}

/** Files a draft for a decision. Returns its token and how many older items expired to make room. */
export function filePending(
  db: Database,
  ids: IdSource,
  at: number,
  item: { readonly payload: PendingPayload; readonly contentHash: Uint8Array; readonly reason: PendingReason },
): { readonly token: string; readonly expiresAt: number; readonly displaced: number } {
  const expiresAt = at + PENDING_LIFETIME_MS;
  // The same question again is the same item.
  const known = db.get<PendingRow>(
    'SELECT * FROM pending WHERE content_hash = ? AND reason = ? AND decided IS NULL AND expires_at > ?',
    [item.contentHash, item.reason, at],
  );
  if (known !== undefined) return { token: tokenOf(db, toItem(known)), expiresAt: known.expires_at, displaced: 0 };
  const id = ids.next('pen');
  db.run('INSERT INTO pending (id, payload, content_hash, reason, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)', [
    id,
    JSON.stringify(item.payload),
    item.contentHash,
    item.reason,
    at,
    expiresAt,
  ]);
  const { changes } = db.run(
    `UPDATE pending SET decided = '${DISPLACED}' WHERE decided IS NULL AND expires_at > ?1 AND id NOT IN
       (SELECT id FROM pending WHERE decided IS NULL AND expires_at > ?1 ORDER BY created_at DESC, id DESC LIMIT ?2)`,
    [at, MAX_PENDING],
  );
  return { token: tokenOf(db, { id, contentHash: item.contentHash, expiresAt }), expiresAt, displaced: changes };
}

/** The open item of a token. Throws `token_mismatch`, `token_used` or `token_expired`. */
export function openPending(db: Database, token: string, at: number): PendingItem {
  const separator = token.lastIndexOf('.');
  const row = db.get<PendingRow>('SELECT * FROM pending WHERE id = ?', [token.slice(0, Math.max(0, separator))]);
  if (row === undefined) throw mismatch();
  const item = toItem(row);
  const expected = Buffer.from(signatureOf(db, item));
  const given = Buffer.from(token.slice(separator + 1));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw mismatch();
  if (item.expiresAt <= at || item.decided === DISPLACED) {
    throw new CairnError(
      'token_expired',
      'This token has expired; nothing was stored. Remember the text again if it still holds.',
      {
        field: 'token',
      },
    );
  }
  if (item.decided !== undefined) {
    throw new CairnError('token_used', `This token was used before (${item.decided}).`, { field: 'token' });
  }
  return item;
}

function mismatch(): CairnError {
  return new CairnError('token_mismatch', 'This token does not belong to a pending item of this project.', {
    field: 'token',
    repair: { operation: 'memory_get', arguments: { queue: 'pending' }, requests: 0 },
  });
}

export function markDecided(db: Database, id: string, decision: string): void {
  db.run('UPDATE pending SET decided = ? WHERE id = ?', [decision, id]);
}

/** Open items, newest first. */
export function listPending(db: Database, at: number): PendingItem[] {
  return db
    .all<PendingRow>(
      'SELECT * FROM pending WHERE decided IS NULL AND expires_at > ? ORDER BY created_at DESC, id DESC',
      [at],
    )
    .map(toItem);
}
