import { createHmac } from 'node:crypto';
import type { Database } from '../../storage/index.ts';
import type { Draft } from '../draft.ts';
import { hashKeyOf } from './meta.ts';

type Identified = Pick<Draft, 'contentHash' | 'sourceKey'>;

/** A keyed hash: without the store's key nobody can test which text it belonged to. 16 bytes. */
function mac(db: Database, value: string | Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', hashKeyOf(db)).update(value).digest().subarray(0, 16));
}

/** Whether this statement was erased on purpose. */
export function isForgotten(db: Database, draft: Identified): boolean {
  return db.get('SELECT 1 FROM forgotten WHERE content_mac = ?', [mac(db, draft.contentHash)]) !== undefined;
}

/** Remembers that a statement was erased, so that sync and import do not bring it back. */
export function markForgotten(db: Database, entryKey: number, draft: Identified, at: number): void {
  db.run('INSERT OR REPLACE INTO forgotten (content_mac, source_mac, entry_key, at) VALUES (?, ?, ?, ?)', [
    mac(db, draft.contentHash),
    draft.sourceKey === undefined ? null : mac(db, draft.sourceKey),
    entryKey,
    at,
  ]);
}
