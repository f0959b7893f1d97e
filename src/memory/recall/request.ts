import type { ErrorCode, Repair } from '../../kernel/index.ts';
import type { RecallStatus } from '../../protocol/index.ts';
import type { EntryKind, EntryState, EntryType, Provenance, Trust } from '../model.ts';
import type { ScopeReport } from '../runtime.ts';
import type { Degraded } from './embed-query.ts';
import type { RecallFilters } from './filters.ts';
import type { QueryInput } from './query.ts';
import type { Evidence, MatchKind } from './score.ts';

/** What a caller wants to be reminded of, whatever surface it came by. Times in milliseconds UTC. */
export interface RecallRequest extends QueryInput, RecallFilters {
  /** `hooks`: by score, no floor, `topK` results. `memory`: by rank, over the floor, `keep` findings. */
  readonly door: 'hooks' | 'memory';
  /** 1 to 50, default 5; for `hooks`. */
  readonly topK?: number | undefined;
  /** 1 to 10, default 3; findings in the block. */
  readonly keep?: number | undefined;
  /** 100 to 4,000, default 800; chars of all findings together. */
  readonly maxChars?: number | undefined;
  /** Leave out what this session was given before. */
  readonly suppressSeen?: boolean | undefined;
  /** Give the parts of each score. */
  readonly explain?: boolean | undefined;
  /** 100 to 10,000; the process's own wait for the embedder is the other limit. */
  readonly deadlineMs?: number | undefined;
  readonly project?: string | undefined;
  readonly scope?: 'project' | 'user' | undefined;
  readonly session?: string | undefined;
}

/** One entry over its floor, as the block shows it. */
export interface Finding {
  readonly id: string;
  readonly kind: EntryKind;
  readonly type: EntryType;
  /** Other than `active` where the caller asked for closed entries or for another time. */
  readonly state: EntryState;
  readonly score: number;
  readonly floor: number;
  readonly match: MatchKind;
  /** Cut and escaped: the text of the block. */
  readonly content: string;
  readonly ageDays: number;
  readonly trust: Trust;
  /** The newest observation. */
  readonly provenance?: Provenance;
  /** Project-relative path of the document that an error-fix entry names, as it was stored: a claim. */
  readonly sourcePath?: string;
  readonly outcomes: { readonly worked: number; readonly failed: number };
  /** Failed twice since it last worked. */
  readonly suspect: boolean;
  /** Ids of other entries with the same signature. */
  readonly alternatives: readonly string[];
  readonly conflictsWith: readonly string[];
  readonly caution?: string;
  readonly evidence?: Evidence & { readonly rank: number };
}

/** One result of the drop-in tool: every entry with evidence, whatever its score. */
export interface RecallResult {
  readonly id: string;
  readonly kind: EntryKind;
  readonly type: EntryType;
  readonly content: string;
  /** The whole text's chars, where `content` is a part. */
  readonly contentChars?: number;
  readonly score: number;
  readonly floor: number;
  readonly passesFloor: boolean;
  readonly match: MatchKind;
  readonly trust: Trust;
  readonly createdAt: number;
  /** A vector took part. */
  readonly hasVector: boolean;
}

export interface RecallAnswer {
  readonly status: RecallStatus;
  /** `no_searchable_text` or `no_entries`, for `empty`. */
  readonly reason?: string;
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly repair?: Repair;
  /** Exact text of the protocol, labelled for the door. */
  readonly notice?: string;
  readonly degraded?: Degraded;
  readonly mode: 'hybrid' | 'lexical';
  readonly scope?: ScopeReport;
  readonly warnings: readonly string[];
  readonly query: {
    readonly text: string;
    readonly workflow: string;
    readonly signature?: string;
    readonly reduced?: 'diff';
  };
  readonly floors: { readonly learning: number; readonly error_fix: number };
  readonly findings: readonly Finding[];
  /** For the door `hooks` alone. */
  readonly results: readonly RecallResult[];
  /** All entries over their floor, those beyond `keep` included. */
  readonly aboveFloor: number;
  /** Entries with evidence under their floor. */
  readonly filteredCount: number;
  readonly nearMiss?: { readonly id: string; readonly score: number; readonly floor: number };
  readonly omitted: { readonly seen: number; readonly overBudget: number; readonly quarantined: number };
  readonly block: string;
  /** 16 random hex digits, new each time. */
  readonly nonce: string;
  readonly coverage: { readonly entries: number; readonly withVectors: number };
  readonly entriesInScope: number;
  readonly audience: readonly string[];
  readonly broadcast?: false;
  readonly subagents?: false;
  readonly recallId: string;
  readonly attempts: number;
  readonly tookMs: number;
}
