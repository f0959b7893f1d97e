import { budgetReport } from './budget-report.ts';
import { LONGEST_PREFIX, PREFIXED_NAME, TOOL_NAME } from './names.ts';
import { schemaFaults } from './schema-rules.ts';
import type { JsonSchema, ListedTool } from './types.ts';

/** One broken rule of the catalog. `tool` names the culprit, or the list as a whole. */
export interface LintFinding {
  readonly tool: string;
  readonly problem: string;
}

export interface LintOptions {
  readonly instructions: string;
  /** Compiles a schema by the drafts that hosts use and gives what they say against it; see `schema-compile.ts`. */
  readonly compileProblems: (schema: JsonSchema) => readonly string[];
}

function nameFindings(tool: ListedTool): string[] {
  const problems: string[] = [];
  if (!TOOL_NAME.test(tool.name)) problems.push('the name is not 1 to 39 of a-z, 0-9 and _');
  if (!PREFIXED_NAME.test(LONGEST_PREFIX + tool.name))
    problems.push('the name with its longest prefix is not 1 to 64 of A-Za-z0-9_-');
  return problems;
}

function annotationFindings(tool: ListedTool): string[] {
  const hints = tool.annotations;
  const missing = (['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const).filter(
    (hint) => typeof hints[hint] !== 'boolean',
  );
  const problems = missing.map((hint) => `${hint} is not set`);
  if (hints.readOnlyHint && hints.destructiveHint) problems.push('it is read-only and destructive at once');
  return problems;
}

function schemaFindings(tool: ListedTool, options: LintOptions): string[] {
  return (['input', 'output'] as const).flatMap((io) => {
    const schema = io === 'input' ? tool.inputSchema : tool.outputSchema;
    const faults = schemaFaults(schema, io).map(({ pointer, problem }) => `${io}${pointer}: ${problem}`);
    return [...faults, ...options.compileProblems(schema).map((problem) => `${io}: ${problem}`)];
  });
}

/** Checks names, annotations, schemas and sizes; empty when everything that hosts ask for holds. */
export function lintTools(tools: readonly ListedTool[], options: LintOptions): LintFinding[] {
  const findings = tools.flatMap((tool) =>
    [...nameFindings(tool), ...annotationFindings(tool), ...schemaFindings(tool, options)].map((problem) => ({
      tool: tool.name,
      problem,
    })),
  );
  const twice = tools.filter((tool, index) => tools.findIndex((other) => other.name === tool.name) !== index);
  for (const tool of twice) findings.push({ tool: tool.name, problem: 'the name is listed twice' });
  for (const { what, bytes, limit, over } of budgetReport(tools, options.instructions)) {
    if (over) findings.push({ tool: what, problem: `${bytes} bytes of at most ${limit}` });
  }
  return findings;
}

/** {@link lintTools} with the validators of both drafts, which are loaded for it. */
export async function checkTools(tools: readonly ListedTool[], instructions: string): Promise<LintFinding[]> {
  const { compileProblems } = await import('./schema-compile.ts');
  return lintTools(tools, { instructions, compileProblems });
}
