/** Where protocol messages go. */
export interface ProtocolOutput {
  /** Writes all of `text`; rejects when the reader is gone. */
  write(text: string): Promise<void>;
  /** Told when the reader is gone. */
  onError(listener: (error: Error) => void): void;
}
