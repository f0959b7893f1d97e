export { type BudgetLine, budgetReport, visibleBytes } from './budget-report.ts';
export { type CallSetting, callOperation, unknownOperation } from './call.ts';
export { type CallGate, createCallGate } from './call-gate.ts';
export { checkTools, type LintFinding } from './lint.ts';
export { type GeneratedCatalog, loadCatalog, loadGenerated, withDottedNames } from './load.ts';
export { findOperation, findReplacement, LONGEST_PREFIX, PREFIXED_NAME } from './names.ts';
export type { CallResult, JsonSchema, ListedTool, OperationCatalog, ToolAnnotations } from './types.ts';
