import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Canonical JSON by RFC 8785: sorted keys, shortest numbers, no white space. Throws on NaN and infinities. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonicalJson: the value has no JSON form');
  return text;
}

/** SHA-256 in lower-case hex of a text (as UTF-8) or of bytes. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
