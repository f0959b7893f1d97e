/** One thing that was not taken in, and why. */
export interface Rejected {
  /** Where it stands: `memories[17]`, `errors[TS2345]`, `line 12`. */
  readonly at: string;
  readonly reason: string;
}

/** What an import did. Every item of the file is in exactly one of the counts. */
export interface ImportReport {
  readonly format: 'cairn-jsonl' | 'intelligence-json';
  /** New entries. */
  readonly imported: number;
  /** Items whose statement was in the store already. */
  readonly merged: number;
  /** The first {@link REJECTED_LISTED} of them. */
  readonly rejected: readonly Rejected[];
  readonly rejectedCount: number;
  /** Telemetry that was left out (or, with `includeNoise`, taken in), by kind. */
  readonly noise: readonly { readonly kind: string; readonly count: number }[];
  /** Sections that are counted and never taken in. */
  readonly ignored: readonly { readonly kind: string; readonly count: number }[];
  /** Present where the file was damaged: whole items that were read all the same, and what was wrong. */
  readonly salvaged?: { readonly items: number; readonly problems: readonly string[] };
  /** Secrets replaced, by kind. */
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
  /** Control and invisible characters removed. */
  readonly removedCharacters: number;
}

const REJECTED_LISTED = 100;

function add(counts: Map<string, number>, kind: string, count: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + count);
}

function toList(counts: ReadonlyMap<string, number>): { kind: string; count: number }[] {
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** Counts while an import runs. */
export class ImportTally {
  imported = 0;
  merged = 0;
  removedCharacters = 0;
  #rejectedCount = 0;
  readonly #rejected: Rejected[] = [];
  readonly #noise = new Map<string, number>();
  readonly #ignored = new Map<string, number>();
  readonly #redactions = new Map<string, number>();
  readonly #problems: string[] = [];

  reject(at: string, reason: string): void {
    this.#rejectedCount += 1;
    if (this.#rejected.length < REJECTED_LISTED) this.#rejected.push({ at, reason });
  }

  noise(kind: string): void {
    add(this.#noise, kind, 1);
  }

  ignore(kind: string): void {
    add(this.#ignored, kind, 1);
  }

  redact(redactions: readonly { readonly kind: string; readonly count: number }[]): void {
    for (const { kind, count } of redactions) add(this.#redactions, kind, count);
  }

  /** Says that the file itself is damaged. */
  damage(problem: string): void {
    this.#problems.push(problem);
  }

  toReport(format: ImportReport['format']): ImportReport {
    return {
      format,
      imported: this.imported,
      merged: this.merged,
      rejected: this.#rejected,
      rejectedCount: this.#rejectedCount,
      noise: toList(this.#noise),
      ignored: toList(this.#ignored),
      ...(this.#problems.length === 0
        ? {}
        : { salvaged: { items: this.imported + this.merged, problems: this.#problems } }),
      redactions: toList(this.#redactions),
      removedCharacters: this.removedCharacters,
    };
  }
}
