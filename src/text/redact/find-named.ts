import type { SecretSpan } from './finding.ts';
import { countCharacterClasses, entropyOf, isEncodedText, isPlaceholder, isPublicId, isWordy } from './plausibility.ts';

/** A user's password between `://` and `@`. */
const URL_PASSWORD = /:\/\/([^\s:/@'"<>`]{0,128}):([^\s/'"<>@`]{1,256})@/g;

/** Passwords in URLs. */
export function findUrlPasswords(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(URL_PASSWORD)) {
    const password = match[2] ?? '';
    if (isPlaceholder(password) || password.startsWith('[redacted')) continue;
    const end = match.index + match[0].length - 1;
    spans.push({ start: end - password.length, end, kind: 'url-password', labelStart: match.index });
  }
  return spans;
}

const AUTHORIZATION =
  /\b(?:proxy-)?authorization\b["']?\s{0,4}[:=]\s{0,4}["'`]?(?:(?:bearer|basic|token|digest|apikey|bot|negotiate)\s{1,4})?([A-Za-z0-9._~+/=:-]{8,4096})/gi;
const BEARER = /\bbearer\s{1,4}([A-Za-z0-9._~+/=-]{20,4096})/gi;

/** Values of `Authorization` headers, and bearer tokens outside one. */
export function findAuthorization(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const pattern of [AUTHORIZATION, BEARER]) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? '';
      if (isPlaceholder(value) || isWordy(value)) continue;
      const end = match.index + match[0].length;
      spans.push({ start: end - value.length, end, kind: 'authorization', labelStart: match.index });
    }
  }
  return spans;
}

/** A name that says "secret", an assignment sign, and a value with or without quotes. */
const ASSIGNMENT =
  /(?<![A-Za-z0-9])([A-Za-z0-9_.-]{0,64}?(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?|secret[_-]?keys?|auth[_-]?keys?|encryption[_-]?keys?|signing[_-]?keys?|session[_-]?keys?|master[_-]?keys?|account[_-]?keys?|storage[_-]?keys?|shared[_-]?keys?|license[_-]?keys?|credentials?|_auth|auth|sig)(?:[A-Za-z0-9_]{0,32}))\\?["'`]?\]?\s{0,8}(?:=>|:=|==?|:)\s{0,8}(?:\\?"([^"\\\n]{6,1024})|'([^'\n]{6,1024})'|`([^`\n]{6,1024})`|([^\s"'`,;&|<>(){}[\]]{6,1024})([(]?))/gi;

/** The short words count only as a whole part of the name: "signal" and "author" are none. */
const SECRET_NAME = /passw|passphrase|pwd|secret|token|keys?|credential|(?:^|[_.-])(?:auth|sig)$/i;
const PASSWORD_NAME = /passw(?:or)?d|passphrase|pwd/i;
/** Names whose value is a digest, a count or a public part although the name holds one of the words. */
const HARMLESS_NAME =
  /public|hash|digest|checksum|sha\d*$|integrity|fingerprint|(?:token|secret|key|auth|credential)s?[_-]?(?:name|id|type|count|limit|length|size|path|file|url|uri|ttl|expir\w*|prefix|field|header|version|index|usage)|^author/i;
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\.#?[A-Za-z_$]|\?\.|::|->|\[)/;
const MIN_SECRET = 12;
const MIN_PASSWORD = 8;

/** `name=value` pairs with a secret-like name and a value of high entropy. */
export function findNamedSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const name = match[1] ?? '';
    const quoted = match[2] ?? match[3] ?? match[4];
    const bare = match[5];
    const raw = quoted ?? bare ?? '';
    const value = quoted === undefined ? raw.replace(/[.:!?]+$/, '') : raw;
    if (
      HARMLESS_NAME.test(name) ||
      !SECRET_NAME.test(name) ||
      (bare !== undefined && (match[6] === '(' || EXPRESSION.test(value)))
    )
      continue;
    if (!isSecretValue(value, PASSWORD_NAME.test(name))) continue;
    const start = match.index + match[0].lastIndexOf(raw);
    spans.push({ start, end: start + value.length, kind: 'named-secret', labelStart: match.index });
  }
  return spans;
}

function isSecretValue(value: string, isPassword: boolean): boolean {
  if (value.length < (isPassword ? MIN_PASSWORD : MIN_SECRET) || value.includes('[redacted:')) return false;
  if (isPlaceholder(value) || isPublicId(value)) return false;
  if (isPassword && !/\s/.test(value))
    return countCharacterClasses(value) >= 3 || (/\d/.test(value) && !isWordy(value));
  if (/\s/.test(value) || isWordy(value)) return false;
  return entropyOf(value) >= 3 && countCharacterClasses(value) >= 2 && !(value.length >= 24 && isEncodedText(value));
}
