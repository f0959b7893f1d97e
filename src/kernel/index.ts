export { BUDGETS, countBytes, countChars } from './budget.ts';
export { throwIfCancelled, withinDeadline } from './cancellation.ts';
export { canonicalJson, type Json, sha256 } from './canonical-json.ts';
export { type Clock, ManualClock, systemClock } from './clock.ts';
export type { RequestContext } from './context.ts';
export {
  CairnError,
  type CairnErrorOptions,
  type ErrorCode,
  type ErrorShape,
  isCairnError,
  type Repair,
  toErrorShape,
} from './errors.ts';
export { createIdSource, type IdSource } from './ids.ts';
export {
  defineOperation,
  type Effects,
  type Operation,
  type OperationAnswer,
  type OperationCall,
  type OperationLimits,
} from './operation.ts';
