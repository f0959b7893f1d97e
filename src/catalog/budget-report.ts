import { BUDGETS, countBytes } from '../kernel/index.ts';
import type { ListedTool } from './types.ts';

export interface BudgetLine {
  /** A tool's name, or `tools/list`, `visible`, `instructions`. */
  readonly what: string;
  readonly bytes: number;
  readonly limit: number;
  readonly over: boolean;
}

function line(what: string, bytes: number, limit: number): BudgetLine {
  return { what, bytes, limit, over: bytes > limit };
}

/** Bytes of a tool's name, description and input schema: what a model reads when the tool is loaded. */
export function visibleBytes(tool: ListedTool): number {
  return countBytes(JSON.stringify({ name: tool.name, description: tool.description, inputSchema: tool.inputSchema }));
}

/** Every size limit of the catalog with what it is now, tools first. */
export function budgetReport(tools: readonly ListedTool[], instructions: string): BudgetLine[] {
  const visible = tools.map((tool) => line(tool.name, visibleBytes(tool), BUDGETS.toolBytes));
  return [
    ...visible,
    line(
      'visible',
      visible.reduce((sum, tool) => sum + tool.bytes, 0),
      BUDGETS.visibleBytes,
    ),
    line('tools/list', countBytes(JSON.stringify({ tools })), BUDGETS.toolsListBytes),
    line('instructions', countBytes(instructions), BUDGETS.instructionsBytes),
  ];
}
