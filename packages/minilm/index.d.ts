/** Where the files of this package lie (absolute paths) and the SHA-256 that they were published with. */
export declare const location: {
  readonly weights: string;
  readonly vocabulary: string;
  readonly weightsSha256: string;
  readonly vocabularySha256: string;
};
