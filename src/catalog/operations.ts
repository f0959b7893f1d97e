import type { OperationCatalog } from './types.ts';

/** Every operation there is, in the order in which they are listed: one line for each room. */
export const catalog: OperationCatalog = {
  operations: [],
  replacements: {},
};
