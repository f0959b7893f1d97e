import { canonicalJson, sha256 } from '../../kernel/index.ts';
import type { Database } from '../../storage/index.ts';
import type { EventOperation } from '../model.ts';

/** What an event says beside its columns. It refers to revisions and never holds an entry's text. */
export type EventPayload = Readonly<Record<string, unknown>>;

export interface NewEvent {
  readonly at: number;
  readonly op: EventOperation;
  readonly entryKey?: number;
  /** Who did it: the surface and the client's own name, such as `mcp:claude-code` or `cli`. */
  readonly actor: string;
  readonly payload: EventPayload;
}

export interface LoggedEvent extends NewEvent {
  readonly seq: number;
}

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly op: EventOperation;
  readonly entry_key: number | null;
  readonly actor: string;
  readonly payload: string;
  readonly payload_hash: Uint8Array;
  readonly chain_hash: Uint8Array;
}

/** Bytes of SHA-256 that are kept: 128 bits are enough to show a change, and half the size. */
const HASH_BYTES = 16;

const EMPTY_CHAIN = new Uint8Array(HASH_BYTES);

function digest(text: string): Buffer {
  return Buffer.from(sha256(text), 'hex').subarray(0, HASH_BYTES);
}

/** Each link covers the one before it, so a changed, missing or reordered event breaks every later link. */
function chainHash(
  previous: Uint8Array,
  event: Pick<EventRow, 'at' | 'op' | 'entry_key' | 'actor'>,
  payloadHash: Uint8Array,
): Buffer {
  return digest(
    canonicalJson([
      Buffer.from(previous).toString('hex'),
      event.at,
      event.op,
      event.entry_key,
      event.actor,
      Buffer.from(payloadHash).toString('hex'),
    ]),
  );
}

/** Appends to the log inside the caller's write transaction. */
export function appendEvent(db: Database, event: NewEvent): LoggedEvent {
  const payload = canonicalJson(event.payload);
  const payloadHash = digest(payload);
  const previous = db.get<{ chain_hash: Uint8Array }>('SELECT chain_hash FROM event ORDER BY seq DESC LIMIT 1');
  const entryKey = event.entryKey ?? null;
  const chain = chainHash(
    previous?.chain_hash ?? EMPTY_CHAIN,
    { at: event.at, op: event.op, entry_key: entryKey, actor: event.actor },
    payloadHash,
  );
  const { lastInsertRowid } = db.run(
    'INSERT INTO event (at, op, entry_key, actor, payload, payload_hash, chain_hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [event.at, event.op, entryKey, event.actor, payload, payloadHash, chain],
  );
  return { ...event, seq: lastInsertRowid };
}

/** All events in order, read one at a time. */
export function* readEvents(db: Database): Generator<LoggedEvent> {
  for (const row of db.iterate<EventRow>('SELECT * FROM event ORDER BY seq')) {
    yield {
      seq: row.seq,
      at: row.at,
      op: row.op,
      ...(row.entry_key === null ? {} : { entryKey: row.entry_key }),
      actor: row.actor,
      payload: row.payload === '' ? {} : (JSON.parse(row.payload) as EventPayload),
    };
  }
}

/** The first event whose link does not follow from the one before it, or `undefined` where the chain is whole. */
export function findBrokenLink(db: Database): number | undefined {
  let previous: Uint8Array = EMPTY_CHAIN;
  for (const row of db.iterate<EventRow>('SELECT * FROM event ORDER BY seq')) {
    const expected = chainHash(previous, row, row.payload_hash);
    if (!expected.equals(row.chain_hash)) return row.seq;
    // An erase blanks the payload and keeps its hash.
    if (row.payload !== '' && !digest(row.payload).equals(row.payload_hash)) return row.seq;
    previous = row.chain_hash;
  }
  return undefined;
}

/** Removes what events say of an entry; their hashes stay, so the chain holds. */
export function blankPayloads(db: Database, entryKey: number): void {
  db.run("UPDATE event SET payload = '' WHERE entry_key = ?", [entryKey]);
}

/** Links the log anew, from its first event on: after rows of it were lost. Inside a write. */
export function relinkEvents(db: Database): void {
  let previous: Uint8Array = EMPTY_CHAIN;
  for (const row of db.all<EventRow>('SELECT * FROM event ORDER BY seq')) {
    // An erased entry's events keep the hash of what they said.
    const payloadHash = row.payload === '' ? row.payload_hash : digest(row.payload);
    const chain = chainHash(previous, row, payloadHash);
    db.run('UPDATE event SET payload_hash = ?, chain_hash = ? WHERE seq = ?', [payloadHash, chain, row.seq]);
    previous = chain;
  }
}
