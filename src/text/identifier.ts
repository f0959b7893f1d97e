/** Places where a part of an identifier ends: before a capital after a small letter, and before the last capital of a run. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const CONNECTORS = /(?:::|[._-])+/;
const HAS_CONNECTOR = /[._-]|::/;
const HAS_HUMP = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const MIXED_LETTERS_DIGITS = /\p{L}.*\p{N}|\p{N}.*\p{L}/u;
const DOTTED_NUMBER = /^\d+(?:[.-]\d+)+$/;
const VERSION = /^v?\d+(?:\.\d+)+$/i;

/** Whether a chunk is more than a plain word: camelCase, snake, kebab, dotted, `::`, or letters with digits. */
export function isIdentifier(chunk: string): boolean {
  return HAS_CONNECTOR.test(chunk) || HAS_HUMP.test(chunk) || MIXED_LETTERS_DIGITS.test(chunk);
}

/** The words an identifier is made of, case kept; a version or a dotted number is one piece. */
export function splitIdentifier(identifier: string): string[] {
  if (DOTTED_NUMBER.test(identifier)) return [];
  if (VERSION.test(identifier)) return [identifier.slice(1)];
  return identifier
    .split(CONNECTORS)
    .flatMap((part) => part.split(HUMP))
    .filter((part) => part !== '');
}
