export { type BudgetLine, budgetReport, visibleBytes } from './budget-report.ts';
export { type CallSetting, callOperation, unknownOperation } from './call.ts';
export { CALLS_IN_FLIGHT, type CallGate, createCallGate } from './call-gate.ts';
export { type LintFinding, type LintOptions, lintTools } from './lint.ts';
export { type GeneratedCatalog, loadCatalog, loadGenerated, withDottedNames } from './load.ts';
export { findOperation, findReplacement, LONGEST_PREFIX, PREFIXED_NAME } from './names.ts';
export type { CallResult, JsonSchema, ListedTool, OperationCatalog, ToolAnnotations } from './types.ts';
