/** A secret in a text, as UTF-16 offsets. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  /** Where the words begin that only name it: a variable, a header. At most `start`. */
  readonly labelStart: number;
}
