import type { ListedTool, OperationCatalog } from './types.ts';

/** The list of tools as it was generated at build time: no room and no schema library is loaded for it. */
export interface GeneratedCatalog {
  readonly fingerprint: string;
  readonly tools: readonly ListedTool[];
  /** Listed name to dotted name, where they differ. */
  readonly dottedNames: Readonly<Record<string, string>>;
}

/** Loads all rooms' operations; for the first call, not for the start. */
export async function loadCatalog(): Promise<OperationCatalog> {
  const { catalog } = await import('./operations.ts');
  return catalog;
}

/** Loads the generated list. */
export async function loadGenerated(): Promise<GeneratedCatalog> {
  const { default: generated } = await import('./generated/tools.json', { with: { type: 'json' } });
  return generated as GeneratedCatalog;
}

/** The generated list under dotted names, where an operation has one. */
export function withDottedNames(generated: GeneratedCatalog): ListedTool[] {
  return generated.tools.map((tool) => ({ ...tool, name: generated.dottedNames[tool.name] ?? tool.name }));
}
