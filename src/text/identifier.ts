const CONNECTORS = /(?:::|[._-])+/;
const HAS_CONNECTOR = /[._-]|::/;
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
const DOTTED_NUMBER = /^\d+(?:[.-]\d+)+$/;
const VERSION = /^v?\d+(?:\.\d+)+$/i;

/** Whether a chunk is more than a plain word: camelCase, snake, kebab, dotted, `::`, or letters with digits. */
export function isIdentifier(chunk: string): boolean {
  return !PLAIN_WORD.test(chunk) && (HAS_CONNECTOR.test(chunk) || hasHump(chunk) || hasLettersAndDigits(chunk));
}

/** The words an identifier is made of, case kept; a version or a dotted number is one piece. */
export function splitIdentifier(identifier: string): string[] {
  if (DOTTED_NUMBER.test(identifier)) return [];
  if (VERSION.test(identifier)) return [identifier.slice(1)];
  return identifier
    .split(CONNECTORS)
    .flatMap(splitHumps)
    .filter((part) => part !== '');
}

function hasHump(text: string): boolean {
  return /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(text);
}

function hasLettersAndDigits(text: string): boolean {
  return /\p{L}/u.test(text) && /\p{N}/u.test(text);
}

/** A part ends before a capital that follows a small letter or a digit, and before the last capital of a run. */
function splitHumps(part: string): string[] {
  return part.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}
