import { randomBytes } from 'node:crypto';
import { LEASE_SCHEMA, type Migration } from '../../storage/index.ts';
import { writeHashKey } from '../store/meta.ts';
import { INITIAL_SCHEMA } from './initial.ts';

/** Every schema step of a memory store, oldest first. A step that has shipped is never changed. */
export const MEMORY_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'initial',
    apply(db) {
      db.exec(INITIAL_SCHEMA);
      db.exec(LEASE_SCHEMA);
      writeHashKey(db, randomBytes(32));
    },
  },
];

/** Tables that cannot be made again from others: what a damaged file is searched for first. */
export const TRUTH_TABLES = [
  'meta',
  'entry_identity',
  'event',
  'revision',
  'provenance',
  'outcome',
  'forgotten',
  'pending',
  'idempotency',
  'conflict',
  'imported_file',
  'usage',
] as const;
