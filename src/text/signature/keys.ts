import { sha256 } from '../../kernel/index.ts';
import { toCompatibilityForm } from '../normalise.ts';
import { findCodes, findErrorClasses } from './codes.ts';
import { isStrong } from './line-role.ts';
import { stripLogPrefix } from './log-prefix.ts';
import { toNormalForm } from './normal-form.ts';
import type { SignatureClass } from './pick.ts';

/** The keys by which an error is found again. */
export interface SignatureKeys {
  /** Of the whole normalised line; 32 hex digits. */
  readonly exact: string;
  /** Of code or class with quoted identifiers and base names, whatever the language; only where it is telling enough. */
  readonly core?: string;
  readonly class: SignatureClass;
}

/** Longer than any display form; what follows is not looked at. In UTF-16 units. */
const MAX_DISPLAY = 1_000;

const QUOTED = /'([^'\n]{1,160})'/g;

/** 128 bits of SHA-256 over the key's level and text. */
function toKey(level: string, text: string): string {
  return sha256(`${level}\n${text}`).slice(0, 32);
}

/** Keys of a signature's display form. Two errors with different codes never share a key. */
export function signatureKeys(display: string): SignatureKeys {
  const line = stripLogPrefix(toCompatibilityForm(display.slice(0, MAX_DISPLAY)));
  const normal = toNormalForm(line);
  const strong = isStrong(line);
  const core = strong ? coreOf(line, normal) : undefined;
  return {
    exact: toKey('exact', normal),
    ...(core === undefined ? {} : { core: toKey('core', core) }),
    class: strong ? 'strong' : 'weak',
  };
}

function coreOf(line: string, normal: string): string | undefined {
  const codes = findCodes(line);
  const classes = findErrorClasses(line);
  const names = codes.length > 0 ? codes : classes;
  const quoted = Array.from(normal.matchAll(QUOTED), (match) => match[1] ?? '').filter((text) =>
    isIdentifierLike(text),
  );
  const files = findFileNames(normal);
  const parts = [...new Set([...quoted, ...files])].sort();
  if (names.length === 0 || parts.length === 0) return undefined;
  return [...names.map((name) => name.toLowerCase()).sort(), ...parts].join('\n');
}

function isIdentifierLike(text: string): boolean {
  return /^[\p{L}\p{N}_$@<][\p{L}\p{N}_$@./:<>#-]*$/u.test(text);
}

function findFileNames(text: string): string[] {
  return (
    text.match(
      /(?<![\p{L}\p{N}_$@./-])[\p{L}\p{N}_$@-][\p{L}\p{N}_$@.-]{0,100}\.[a-z][a-z0-9]{0,7}(?![\p{L}\p{N}_.])/gu,
    ) ?? []
  );
}
