import type { SecretSpan } from './finding.ts';
import { entropyOf, isEncodedText, isPlaceholder, isWordy } from './plausibility.ts';
import { PROVIDER_KEYS, SHAPED_KEYS } from './provider-keys.ts';

/** One pattern for a list of formats; group n + 1 belongs to format n. Made when first needed, not at import. */
function toPattern(keys: readonly { readonly body: string }[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${keys.map(({ body }) => `(${body})`).join('|')})(?![A-Za-z0-9])`, 'g');
}

/** A word of one of the prefixes, to pass over texts without any key quickly. */
const HINT =
  /AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat|gl[a-z]{2,5}-|gl(?:sa|c)_|xox|xapp|hooks\.slack|\/api\/webhooks|sk-|[rs]k_|whsec|AIza|GOCSPX|ya29|1\/\/0|npm_|pypi-|rubygems_|cio|oy2|dckr_|hf_|api_org_|SG\.|key-|SK[0-9a-f]|do[oprt]_v1|shp(?:at|ca|pa|ss)_|lin_|ntn_|secret_|dapi|dp\.|hv[sbr]\.|fig[dou]_|pat[A-Za-z0-9]|NRAK|sntry|sb[p_]|pscale|AGE-S|ph[xc]_|gsk_|r8_|pplx|xai-|PMAK|ATATT|eyJ/;

/** Secrets by the format of their provider. */
export function findProviderKeys(text: string): SecretSpan[] {
  const spans = findWith(text, SHAPED_KEYS);
  return HINT.test(text) ? [...findWith(text, PROVIDER_KEYS), ...spans] : spans;
}

function findWith(text: string, keys: typeof PROVIDER_KEYS): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(toPattern(keys))) {
    const value = match[0];
    const kind = keys[match.slice(1).findIndex((group) => group !== undefined)]?.kind;
    if (kind === undefined || isPlaceholder(value) || (isWordy(value) && !/\d/.test(value))) continue;
    if (value.startsWith('sk-') && (isWordy(value) || !/\d/.test(value))) continue;
    spans.push({ start: match.index, end: match.index + value.length, kind, labelStart: match.index });
  }
  return spans;
}

/** Forty characters of base64 on their own: the form of an AWS secret access key. */
const AWS_SECRET = /(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_.-])/g;

/** Bare AWS secret keys: all character classes, high entropy, no hex digest, no path, no encoded text. */
export function findAwsSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(AWS_SECRET)) {
    const value = match[0];
    const plausible = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && entropyOf(value) >= 4;
    if (!plausible || isWordy(value) || isPlaceholder(value) || isEncodedText(value)) continue;
    spans.push({ start: match.index, end: match.index + 40, kind: 'aws-secret-key', labelStart: match.index });
  }
  return spans;
}

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{40,64}/g;
const UNENDED_BODY = /(?:\s|\\n|[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{2,24}: [^\n]{1,80})*/y;
const MIN_BODY = 24;

/** Private-key blocks, also those whose end is missing. */
export function findPrivateKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let hasEnd = true;
  let from = 0;
  for (const begin of text.matchAll(KEY_BEGIN)) {
    if (begin.index < from) continue;
    const bodyStart = begin.index + begin[0].length;
    KEY_END.lastIndex = bodyStart;
    const end: RegExpExecArray | null = hasEnd ? KEY_END.exec(text) : null;
    hasEnd = end !== null;
    UNENDED_BODY.lastIndex = bodyStart;
    const bodyEnd = end?.index ?? bodyStart + (UNENDED_BODY.exec(text)?.[0].trimEnd().length ?? 0);
    if (!isKeyBody(text.slice(bodyStart, bodyEnd))) continue;
    from = end === null ? bodyEnd : end.index + end[0].length;
    spans.push({ start: begin.index, end: from, kind: 'private-key', labelStart: begin.index });
  }
  return spans;
}

function isKeyBody(body: string): boolean {
  const data = body.replace(/\\n|[^A-Za-z0-9+/]/g, '');
  return data.length >= MIN_BODY && !/^(?:x+|\.+)$/i.test(data);
}
