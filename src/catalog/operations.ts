import { memoryOperations } from '../memory/operations.ts';
import type { OperationCatalog } from './types.ts';

/** Every operation there is, in the order in which they are listed: one line for each room. */
export const catalog: OperationCatalog = {
  operations: [...memoryOperations],
  replacements: {
    hooks_pretrain: 'memory_remember',
    hooks_error_record: 'memory_remember',
    'hooks_error_*': 'memory_recall',
  },
};
