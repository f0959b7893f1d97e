/** Where the weights package lies; `cairn-minilm` exports exactly this. Paths are absolute. */
export interface WeightsLocation {
  readonly weights: string;
  readonly vocabulary: string;
  /** SHA-256 of the two files, lower-case hex, as the package published them. */
  readonly weightsSha256: string;
  readonly vocabularySha256: string;
}
