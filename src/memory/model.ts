/** The words of the memory room. Times are integer milliseconds UTC; ids are text for callers, integer keys inside. */

export type EntryKind = 'learning' | 'error_fix';
export type EntryType = 'decision' | 'context' | 'project' | 'code' | 'general';
export type EntryState = 'active' | 'quarantined' | 'closed' | 'superseded' | 'retracted' | 'erased';
/** Strongest first: a document of the default branch outweighs an agent's word. */
export type Trust = 'person' | 'repo' | 'agent' | 'branch' | 'import';

/** What the log may say. Each is applied to the derived tables by one function, live and on rebuild. */
export type EventOperation =
  | 'create'
  | 'revise'
  | 'merge'
  | 'supersede'
  | 'confirm'
  | 'update'
  | 'outcome'
  | 'close'
  | 'reopen'
  | 'retract'
  | 'restore'
  | 'erase'
  | 'import';

/** A half-open range `[start, end)` of UTF-16 offsets into a revision's text. */
export type Range = readonly [start: number, end: number];

/** The parts of a revision's text, as offsets, and what is not in the text. */
export interface RevisionFields {
  readonly context?: Range;
  readonly insight?: Range;
  readonly action?: Range;
  readonly signature?: Range;
  readonly fix?: Range;
  readonly sourcePath?: Range;
  readonly summary?: Range;
  readonly tags?: readonly string[];
  /** Project-relative paths. */
  readonly files?: readonly string[];
}

/** Where one observation of an entry came from. */
export interface Provenance {
  /** The event source of the protocol (`work`, `review`, `manual`, `import`, `hooks`, …). */
  readonly source: string;
  readonly author?: string;
  readonly host?: string;
  readonly session?: string;
  readonly branch?: string;
  readonly commit?: string;
  /** Project-relative path of the file or document that it was learned from. */
  readonly file?: string;
  readonly fileHash?: string;
  readonly at: number;
}

/** The current view of one entry. */
export interface Entry {
  readonly key: number;
  readonly id: string;
  readonly kind: EntryKind;
  readonly type: EntryType;
  readonly state: EntryState;
  readonly text: string;
  readonly fields: RevisionFields;
  readonly revision: number;
  readonly sourceKey?: string;
  readonly workflow?: string;
  readonly trust: Trust;
  /** Passed the quality gates when it was stored. */
  readonly quality: boolean;
  readonly pinned: boolean;
  readonly validFrom: number;
  readonly validTo?: number;
  readonly supersededBy?: string;
  readonly suspect: boolean;
  readonly worked: number;
  readonly failed: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The part of `text` that a range names, or `undefined` without a range. */
export function partOf(text: string, range: Range | undefined): string | undefined {
  return range === undefined ? undefined : text.slice(range[0], range[1]);
}
