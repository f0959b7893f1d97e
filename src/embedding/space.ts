import { canonicalJson, sha256 } from '../kernel/index.ts';
import type { Space, SpaceParts } from './embedder.ts';

const FINGERPRINT_DIGITS = 16;

/** The space that these parts name: the fingerprint is the first 16 hex digits of SHA-256 over their canonical JSON. */
export function fingerprintOf(parts: SpaceParts): Space {
  return { fingerprint: sha256(canonicalJson(parts)).slice(0, FINGERPRINT_DIGITS), parts };
}
