const PLACEHOLDER =
  /example|sample|placeholder|dummy|changeme|change-me|change_me|redacted|x{4,}|\*{3,}|\.{3}|…|your[-_ ]?|<|>|^\$\w|^%\w+%$|\$\{|\$\(|\{\{|%[sd]\b|insert|0{8,}|1234567|abcdef(?:gh|$)|(.)\1{5,}/i;
const PLAIN_PLACEHOLDERS: ReadonlySet<string> = new Set(
  'pass passwd password pwd secret token key apikey test user username root admin postgres guest none null undefined true false string foobar hunter2 todo xxx'.split(
    ' ',
  ),
);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const INTEGRITY = /^sha(?:1|256|384|512)[-:]/i;
const WORD_PART = /^(?:[a-z]{1,14}\d{0,3}|[A-Z][a-z]{1,14}\d{0,3}|[A-Z]{1,14}\d{0,3}|\d{1,4})$/;
const PART_BREAKS = /[-_./:@\s+]+|(?<=[a-z\d])(?=[A-Z][a-z])/;

/** Whether a value is made up for a document, or stands for a variable: never a secret. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || PLAIN_PLACEHOLDERS.has(value.toLowerCase()) || new Set(value).size <= 3;
}

/** Whether a value is an identifier that is public by its nature: a UUID or an integrity string. */
export function isPublicId(value: string): boolean {
  return UUID.test(value) || INTEGRITY.test(value);
}

/** Whether a value is put together from words and short numbers, as names are: `my-app-token-v2`, `accessToken1`. */
export function isWordy(value: string): boolean {
  return value.split(PART_BREAKS).every((part) => part === '' || WORD_PART.test(part));
}

/** Shannon entropy of a text's characters, in bits for each. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}

/** How many of lower case, upper case, digits and other characters occur. */
export function countCharacterClasses(text: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(text)).length;
}

/** Whether base64 text stands for readable text, which is data and no key. */
export function isEncodedText(value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  let readable = 0;
  for (const byte of bytes)
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09) readable += 1;
  return bytes.length > 0 && readable / bytes.length > 0.95;
}
