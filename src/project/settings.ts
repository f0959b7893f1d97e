import { join } from 'node:path';
import { readSmallFile } from './git-repository.ts';

/** `config.json` of a store folder, every key optional there. */
export interface ProjectSettings {
  /** This folder is a project of its own, though it lies in a repository. */
  readonly isolate: boolean;
  /** `none` is lexical mode by choice. */
  readonly embedder: 'minilm' | 'none';
}

export const DEFAULT_SETTINGS: ProjectSettings = { isolate: false, embedder: 'minilm' };

/** Largest `config.json` that is read, in bytes. */
const CONFIG_BYTES = 65_536;

/** Accepted values of each key, for the check and for its message. */
const ACCEPTED: { readonly [Key in keyof ProjectSettings]: readonly ProjectSettings[Key][] } = {
  isolate: [true, false],
  embedder: ['minilm', 'none'],
};

/**
 * Settings of a store folder, and one plain sentence for everything in the file that has no effect: nothing is ignored
 * in silence.
 */
export function readSettings(storeFolder: string): {
  readonly settings: ProjectSettings;
  readonly warnings: readonly string[];
} {
  const path = join(storeFolder, 'config.json');
  const text = readSmallFile(path, CONFIG_BYTES);
  if (text === undefined) return { settings: DEFAULT_SETTINGS, warnings: [] };
  const parsed = parseObject(text);
  if (parsed === undefined)
    return { settings: DEFAULT_SETTINGS, warnings: [`${path} is no JSON object; it has no effect.`] };
  const warnings: string[] = [];
  const settings: Record<string, unknown> = { ...DEFAULT_SETTINGS };
  for (const [key, value] of Object.entries(parsed)) {
    if (!isKnownKey(key)) {
      warnings.push(
        `${path} has the unknown key "${key}"; it has no effect. Known: ${Object.keys(ACCEPTED).join(', ')}.`,
      );
    } else if (!(ACCEPTED[key] as readonly unknown[]).includes(value)) {
      warnings.push(
        `${path}: "${key}" must be one of ${ACCEPTED[key].map((one) => JSON.stringify(one)).join(', ')}; the default counts.`,
      );
    } else {
      settings[key] = value;
    }
  }
  return { settings: settings as unknown as ProjectSettings, warnings };
}

function isKnownKey(key: string): key is keyof ProjectSettings {
  return Object.hasOwn(ACCEPTED, key);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The warning of the caller says it.
    return undefined;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** One warning for each `CAIRN_*` variable that no part of the program reads. `known` names those that one does. */
export function findUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('CAIRN_') && !known.includes(name))
    .sort()
    .map((name) => `The variable ${name} is unknown; it has no effect.`);
}
