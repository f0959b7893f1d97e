/** One status of an answer; `isError` says whether the tool result is an error. */
export interface StatusRule {
  readonly isError: boolean;
  readonly meaning: string;
}

export const RECALL_STATUSES = {
  ok: { isError: false, meaning: '1 to n findings, everything searched' },
  empty: {
    isError: false,
    meaning: 'nothing in scope shares any evidence with the query, or the scope has no entries',
  },
  below_floor: { isError: false, meaning: 'candidates existed, all under their floor' },
  degraded: { isError: false, meaning: 'searched, but not with everything' },
  no_project: { isError: false, meaning: 'no project found; names what was tried' },
  unavailable: { isError: true, meaning: 'the store could not be read, after the retry' },
} as const satisfies Record<string, StatusRule>;
export type RecallStatus = keyof typeof RECALL_STATUSES;

/** Why an answer is `degraded`. */
export const DEGRADED_REASONS = [
  'embedder_warming',
  'embedder_missing',
  'embedder_failed',
  'vectors_partial',
  'deadline',
  'importing',
  'index_rebuilding',
] as const;
export type DegradedReason = (typeof DEGRADED_REASONS)[number];

export const REMEMBER_STATUSES = {
  stored: { isError: false, meaning: 'committed, flushed to disk, readable by other processes' },
  merged: { isError: false, meaning: 'the same statement existed: provenance added, no new entry' },
  updated: { isError: false, meaning: 'same source key, new content: a new revision' },
  near_duplicate: { isError: false, meaning: 'not stored; names the entry and gives a token to decide otherwise' },
  needs_confirmation: { isError: false, meaning: 'prompted tier: pending, not recallable' },
  skipped: { isError: false, meaning: 'tier skip; nothing written' },
  rejected: { isError: true, meaning: 'nothing written; useless to retry unchanged' },
  unavailable: { isError: true, meaning: 'nothing written; the store could not take it' },
} as const satisfies Record<string, StatusRule>;
export type RememberStatusName = keyof typeof REMEMBER_STATUSES;
