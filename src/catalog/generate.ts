import type { Operation } from '../kernel/index.ts';
import type { GeneratedCatalog } from './load.ts';
import { catalogFingerprint, toolList } from './tool-list.ts';

/** What `src/catalog/generated/tools.json` holds. */
export function generateCatalog(operations: readonly Operation[]): GeneratedCatalog {
  const tools = toolList(operations);
  const dotted = operations.flatMap((operation) =>
    operation.dottedName === undefined ? [] : [[operation.name, operation.dottedName]],
  );
  return { fingerprint: catalogFingerprint(tools), tools, dottedNames: Object.fromEntries(dotted) };
}
