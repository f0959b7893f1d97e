import type { Provenance, RevisionFields } from '../model.ts';

/** First line of an export, and what makes a file one. */
export interface ExportHeader {
  readonly cairn: 'memory-export';
  /** Of the format; a reader refuses a higher one. */
  readonly version: 1;
  readonly project_id: string;
  readonly exported_at: number;
  /** Events that follow, at most. */
  readonly events: number;
}

export const EXPORT_VERSION = 1;

/**
 * Every other line: one event of the log with the rows that belong to it. An entry is the sum of its events, so replaying
 * the lines in order gives the same entries with their history. Ids stand where the store has integer keys.
 */
export interface EventLine {
  readonly at: number;
  readonly op: string;
  readonly entry: string;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly revision?: {
    readonly n: number;
    readonly at: number;
    readonly text: string;
    readonly fields: RevisionFields;
  };
  readonly provenance?: readonly Provenance[];
  readonly outcome?: {
    readonly at: number;
    readonly session?: string;
    readonly verdict: string;
    readonly note?: string;
  };
}

/** An entry whose text was erased: the id is known, so that an older export does not bring it back. */
export interface TombstoneLine {
  readonly tombstone: string;
  readonly at: number;
}

export type ExportLine = ExportHeader | EventLine | TombstoneLine;

/** In payloads: the key of the entry that superseded another is written as that entry's id. */
export const BY_ID = 'by_id';
