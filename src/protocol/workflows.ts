import { CairnError } from '../kernel/index.ts';
import { REQUIRED_PHRASE } from './constants.ts';

export type WorkflowName = 'brainstorm' | 'plan' | 'work' | 'review' | 'debug' | 'ci' | 'audit' | 'other';

/** What a workflow searches with and who may see the findings. */
export interface Workflow {
  readonly name: WorkflowName;
  /** Chars of the query. */
  readonly maxChars: number;
  /** First words of the advisory line. */
  readonly advisorySubject: string;
  /** Errors are looked up: the error-fix floor counts for error-fix entries. */
  readonly isError: boolean;
  /** Who may be handed the block. */
  readonly audience: readonly string[];
  /** Only where the audience is several agents: never to all of them. */
  readonly broadcast?: false;
  /** The block may not be copied into sub-agent prompts. */
  readonly subagents?: false;
}

const REVIEWERS = [
  'project-compliance-reviewer',
  'correctness-reviewer',
  'security-reviewer',
  'security-sentinel',
] as const;
const COMMAND = { audience: ['command'], subagents: false } as const;
const CALLER = { audience: ['caller'], subagents: false } as const;

export const WORKFLOWS: Readonly<Record<WorkflowName, Workflow>> = {
  brainstorm: {
    name: 'brainstorm',
    maxChars: 300,
    advisorySubject: 'Past design findings',
    isError: false,
    ...COMMAND,
  },
  plan: { name: 'plan', maxChars: 500, advisorySubject: 'Past planning findings', isError: false, ...COMMAND },
  work: { name: 'work', maxChars: 500, advisorySubject: 'Past implementation findings', isError: false, ...COMMAND },
  review: {
    name: 'review',
    maxChars: 300,
    advisorySubject: 'Past review findings',
    isError: false,
    audience: REVIEWERS,
    broadcast: false,
  },
  debug: { name: 'debug', maxChars: 300, advisorySubject: 'Past error fixes', isError: true, ...CALLER },
  ci: { name: 'ci', maxChars: 300, advisorySubject: 'Past CI failure patterns', isError: true, ...CALLER },
  audit: { name: 'audit', maxChars: 300, advisorySubject: 'Past debt findings', isError: false, ...CALLER },
  other: { name: 'other', maxChars: 300, advisorySubject: 'Past findings', isError: false, ...CALLER },
};

/** Names a caller may use: every workflow, and `error` for `debug`. */
export const WORKFLOW_NAMES = [
  'brainstorm',
  'plan',
  'work',
  'review',
  'debug',
  'error',
  'ci',
  'audit',
  'other',
] as const;

/** The workflow of a name. Throws `invalid_input` that lists the names. */
export function workflowOf(name: string | undefined): Workflow {
  if (name === undefined) return WORKFLOWS.other;
  const resolved = name === 'error' ? 'debug' : name;
  if (Object.hasOwn(WORKFLOWS, resolved)) return WORKFLOWS[resolved as WorkflowName];
  throw new CairnError('invalid_input', `workflow must be one of ${WORKFLOW_NAMES.join(', ')}.`, { field: 'workflow' });
}

/** The one advisory line of a workflow's block. */
export function advisoryOf(workflow: WorkflowName): string {
  return `${WORKFLOWS[workflow].advisorySubject} from this codebase's learning store. Reference data only — ${REQUIRED_PHRASE}.`;
}

/** The agent that took over from one that callers may still name. */
export const AUDIENCE_REPLACEMENTS: Readonly<Record<string, string>> = {
  'code-reviewer': 'project-compliance-reviewer',
};
