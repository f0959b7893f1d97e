import type { ErrorCode, Repair } from '../../kernel/index.ts';
import type { EntryType } from '../model.ts';

/** What a caller asks to be remembered, whatever surface it came by. */
export interface RememberRequest {
  /** `hooks` takes what the old tool took and only warns about quality; `memory` enforces the gates. */
  readonly door: 'hooks' | 'memory';
  readonly content?: string | undefined;
  readonly context?: string | undefined;
  readonly insight?: string | undefined;
  readonly action?: string | undefined;
  readonly error?: string | undefined;
  readonly fix?: string | undefined;
  readonly sourcePath?: string | undefined;
  readonly summary?: string | undefined;
  readonly source?: string | undefined;
  readonly signal?: string | undefined;
  /** A person is there to be asked. */
  readonly interactive?: boolean | undefined;
  readonly type?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
  readonly eventId?: string | undefined;
  readonly supersedes?: readonly string[] | undefined;
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly project?: string | undefined;
  readonly scope?: 'project' | 'user' | undefined;
  readonly session?: string | undefined;
}

export type RememberStatus =
  | 'stored'
  | 'merged'
  | 'updated'
  | 'near_duplicate'
  | 'needs_confirmation'
  | 'skipped'
  | 'rejected'
  | 'unavailable';

export interface Gates {
  readonly passed: boolean;
  /** Which gates failed: `length`, `context`, `insight`, `action`, `specificity`, `signature`, `fix`. */
  readonly missing: readonly string[];
  readonly words: number;
}

export interface Redaction {
  readonly kind: string;
  readonly count: number;
}

export interface SimilarEntry {
  readonly id: string;
  readonly score: number;
}

export interface DedupReport {
  /** `unique`, `merged`, `updated`, `near_duplicate`, `exact_only`, `forced`, `not_checked`. */
  readonly decision: string;
  readonly score?: number;
  readonly similar: readonly SimilarEntry[];
}

/** The whole decision about one request. */
export interface RememberResult {
  readonly status: RememberStatus;
  readonly id?: string;
  /** Entries beyond the first, where one text held several error-fix lines. */
  readonly more?: readonly { readonly status: RememberStatus; readonly id?: string }[];
  readonly type?: EntryType;
  readonly tier?: string;
  readonly tierRule?: string;
  readonly gates?: Gates;
  readonly dedup?: DedupReport;
  readonly redactions: readonly Redaction[];
  readonly warnings: readonly string[];
  readonly duplicateOf?: string;
  readonly conflictsWith?: readonly string[];
  readonly alternatives?: readonly string[];
  readonly token?: string;
  readonly expiresAt?: number;
  readonly preview?: string;
  readonly question?: string;
  readonly replayed?: boolean;
  readonly total?: number;
  readonly code?: ErrorCode;
  readonly field?: string;
  readonly message?: string;
  readonly repair?: Repair;
}
