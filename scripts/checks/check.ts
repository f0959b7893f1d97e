/** What one check of the house rules found. */
export interface CheckReport {
  /** Each breaks a rule; `path[:line]: what is wrong and what to do`. */
  readonly problems: readonly string[];
  /** Figures worth a line of output. */
  readonly notes: readonly string[];
}

/** One rule of the house, checked over the files of the repository. */
export interface HouseCheck {
  readonly name: string;
  /** `files` are relative to `root`, with `/`. */
  run(root: string, files: readonly string[]): CheckReport;
}
