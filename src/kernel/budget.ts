/** Limits on the wire, from the design; checked by `cairn catalog --check`. Sizes of UTF-8 JSON in bytes. */
export const BUDGETS = {
  /** One tool's name, description and input schema. */
  toolBytes: 2_048,
  /** All of `tools/list`, output schemas included. */
  toolsListBytes: 120_000,
  /** Names, descriptions and input schemas of all tools. */
  visibleBytes: 48_000,
  instructionsBytes: 2_048,
  /** One tool result, in characters, unless the operation states less. */
  resultChars: 24_000,
  /** Characters of a tool name before the hosts' prefixes. */
  toolNameChars: 39,
} as const;

/** Length in Unicode code points: what this project means by "chars". */
export function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Length in bytes of UTF-8. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
