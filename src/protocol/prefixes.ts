import type { WorkflowName } from './workflows.ts';

/** A domain prefix of a query, `[name] text`. */
export interface DomainPrefix {
  readonly name: string;
  readonly workflow: WorkflowName;
  /** Which plugin sends it. */
  readonly usedBy: string;
}

export const PREFIXES: readonly DomainPrefix[] = [
  { name: 'brainstorm-design', workflow: 'brainstorm', usedBy: 'yellow-core (brainstorm)' },
  { name: 'implementation-planning', workflow: 'plan', usedBy: 'yellow-core (plan)' },
  { name: 'implementation', workflow: 'work', usedBy: 'yellow-core (work)' },
  { name: 'knowledge-capture', workflow: 'other', usedBy: 'yellow-core (compound)' },
  { name: 'code-review', workflow: 'review', usedBy: 'yellow-review' },
  { name: 'ci-failures', workflow: 'ci', usedBy: 'yellow-ci' },
  { name: 'technical-debt', workflow: 'audit', usedBy: 'yellow-debt' },
  { name: 'research', workflow: 'other', usedBy: 'yellow-research' },
  { name: 'browser-testing', workflow: 'other', usedBy: 'yellow-browser-test' },
  { name: 'project-management', workflow: 'other', usedBy: 'yellow-linear' },
  { name: 'delegation', workflow: 'other', usedBy: 'yellow-devin' },
  { name: 'git-workflow', workflow: 'other', usedBy: 'gt-workflow' },
  { name: 'spec-dialogue', workflow: 'plan', usedBy: 'flow:spec' },
  { name: 'session-review', workflow: 'review', usedBy: 'flow:review' },
];

const BY_NAME: ReadonlyMap<string, DomainPrefix> = new Map(PREFIXES.map((prefix) => [prefix.name, prefix]));

/** The prefix of a name without brackets, `undefined` for an unknown one. */
export function findPrefix(name: string): DomainPrefix | undefined {
  return BY_NAME.get(name);
}

export interface PrefixedQuery {
  readonly prefix?: string;
  readonly workflow?: WorkflowName;
  readonly text: string;
}

/** Takes a known prefix off a query. Any other leading bracket is ordinary text. */
export function parsePrefix(query: string): PrefixedQuery {
  const match = /^\s*\[([a-z-]{1,40})\]\s*/.exec(query);
  const prefix = match?.[1] === undefined ? undefined : findPrefix(match[1]);
  if (match === null || prefix === undefined) return { text: query };
  return { prefix: prefix.name, workflow: prefix.workflow, text: query.slice(match[0].length) };
}
