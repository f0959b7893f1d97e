import { describe, expect, it } from 'vitest';
import { isCairnError } from '../../src/kernel/index.ts';
import {
  classifyEvent,
  DEGRADED_REASONS,
  EVENT_SOURCE_NAMES,
  findPrefix,
  PREFIXES,
  parsePrefix,
  RECALL_STATUSES,
  REMEMBER_STATUSES,
  WORKFLOWS,
  workflowOf,
} from '../../src/protocol/index.ts';

/** Rows of the specification that belong to later issues; when one of them arrives it must leave this list. */
const LATER = {
  sources: ['solution_doc', 'tool_failure'],
  recallStatuses: [],
  rememberStatuses: ['quarantined', 'queued'],
  degradedReasons: ['team_offline'],
};

function refusal(run: () => unknown): { code: string; field: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    if (isCairnError(error)) return { code: error.code, field: error.field, message: error.message };
    throw error;
  }
  throw new Error('was not refused');
}

const PREFIX_ROWS = [
  ['brainstorm-design', 'brainstorm'],
  ['implementation-planning', 'plan'],
  ['implementation', 'work'],
  ['knowledge-capture', 'other'],
  ['code-review', 'review'],
  ['ci-failures', 'ci'],
  ['technical-debt', 'audit'],
  ['research', 'other'],
  ['browser-testing', 'other'],
  ['project-management', 'other'],
  ['delegation', 'other'],
  ['git-workflow', 'other'],
  ['spec-dialogue', 'plan'],
  ['session-review', 'review'],
] as const;

describe('prefixes', () => {
  it.each(PREFIX_ROWS)('M5: [%s] leads to %s', (name, workflow) => {
    expect(parsePrefix(`[${name}] flaky date test`)).toEqual({ prefix: name, workflow, text: 'flaky date test' });
    expect(findPrefix(name)?.workflow).toBe(workflow);
  });

  it('M5: there are no others', () => {
    expect(PREFIXES.map(({ name }) => name).sort()).toEqual(PREFIX_ROWS.map(([name]) => name).sort());
  });

  it.each(['[foo] flaky date test', 'flaky [code-review] test', '[code-review flaky', '[] x', ''])(
    'M4: %j is ordinary text',
    (query) => {
      expect(parsePrefix(query)).toEqual({ text: query });
    },
  );
});

const CELLS = [
  ['review', 'p0', 'auto', 'context'],
  ['review', 'p1', 'auto', 'context'],
  ['review', 'p2', 'prompted', 'context'],
  ['review', 'p3', 'skip', 'context'],
  ['session_review', 'p0', 'auto', 'context'],
  ['session_review', 'p1', 'auto', 'context'],
  ['session_review', 'p2', 'prompted', 'context'],
  ['session_review', 'p3', 'skip', 'context'],
  ['ci', 'root_cause', 'auto', 'context'],
  ['ci', 'workaround', 'prompted', 'context'],
  ['ci', 'status', 'skip', 'context'],
  ['debt', 'security', 'auto', 'code'],
  ['debt', 'complexity', 'prompted', 'code'],
  ['debt', 'duplication', 'prompted', 'code'],
  ['debt', 'style', 'skip', 'code'],
  ['browser_test', 'crash', 'auto', 'context'],
  ['browser_test', 'data_loss', 'auto', 'context'],
  ['browser_test', 'ui', 'prompted', 'context'],
  ['browser_test', 'pass', 'skip', 'context'],
  ['work', 'insight', 'auto', 'decision'],
  ['compound', undefined, 'auto', 'project'],
  ['compound', 'whatever', 'auto', 'project'],
  ['brainstorm', 'rationale', 'prompted', 'decision'],
  ['plan', undefined, 'skip', 'general'],
  ['plan', 'whatever', 'skip', 'general'],
  ['spec', undefined, 'skip', 'general'],
  ['research', 'finding', 'prompted', 'general'],
  ['delegation', 'failure', 'prompted', 'context'],
  ['project_management', undefined, 'skip', 'general'],
  ['stack', undefined, 'skip', 'general'],
  ['manual', undefined, 'auto', 'general'],
  ['debug', 'verified', 'auto', 'context'],
  ['debug', 'believed', 'prompted', 'context'],
] as const;

describe('tiers', () => {
  it.each(CELLS)('M5: %s %s is %s, type %s', (source, signal, tier, defaultType) => {
    expect(classifyEvent(source, signal)).toMatchObject({ tier, defaultType });
    expect(classifyEvent(source, signal).rule).toContain(source);
  });

  it('M5: every source of the table is walked above, and none is missing but those of later issues', () => {
    expect([...new Set(CELLS.map(([source]) => source))].sort()).toEqual([...EVENT_SOURCE_NAMES].sort());
    for (const name of LATER.sources) expect(EVENT_SOURCE_NAMES).not.toContain(name);
  });

  it.each(['work', 'brainstorm', 'research', 'delegation'])(
    'a source with one signal needs none said: %s',
    (source) => {
      expect(classifyEvent(source, undefined)).toEqual(
        classifyEvent(source, CELLS.find(([name]) => name === source)?.[1]),
      );
    },
  );

  it.each(['review', 'session_review', 'ci', 'debt', 'browser_test', 'debug'])(
    'a missing signal of %s is refused with the values',
    (source) => {
      const { code, field, message } = refusal(() => classifyEvent(source, undefined));
      expect([code, field]).toEqual(['invalid_input', 'signal']);
      for (const [name, signal] of CELLS)
        if (name === source && signal !== undefined) expect(message).toContain(signal);
    },
  );

  it('an unknown source or signal is refused with the values', () => {
    expect(refusal(() => classifyEvent('nobody', undefined))).toMatchObject({ code: 'invalid_input', field: 'source' });
    expect(refusal(() => classifyEvent('work', 'p1'))).toMatchObject({ code: 'invalid_input', field: 'signal' });
  });
});

describe('statuses', () => {
  it.each([
    ['ok', false],
    ['empty', false],
    ['below_floor', false],
    ['degraded', false],
    ['no_project', false],
    ['unavailable', true],
  ] as const)('M5: recall status %s is a tool error: %s', (status, isError) => {
    expect(RECALL_STATUSES[status].isError).toBe(isError);
  });

  it.each([
    ['stored', false],
    ['merged', false],
    ['updated', false],
    ['near_duplicate', false],
    ['needs_confirmation', false],
    ['skipped', false],
    ['rejected', true],
    ['unavailable', true],
  ] as const)('M5: remember status %s is a tool error: %s', (status, isError) => {
    expect(REMEMBER_STATUSES[status].isError).toBe(isError);
  });

  it('M5: no status stands in the tables that nothing can give', () => {
    expect(Object.keys(RECALL_STATUSES)).toHaveLength(6 - LATER.recallStatuses.length);
    expect(Object.keys(REMEMBER_STATUSES)).toHaveLength(10 - LATER.rememberStatuses.length);
    for (const status of LATER.rememberStatuses) expect(REMEMBER_STATUSES).not.toHaveProperty(status);
    for (const reason of LATER.degradedReasons) expect(DEGRADED_REASONS).not.toContain(reason);
  });
});

describe('workflows', () => {
  it('M14: review is for four reviewers and no broadcast; plan, work and brainstorm for the command alone', () => {
    expect(WORKFLOWS.review.audience).toEqual([
      'project-compliance-reviewer',
      'correctness-reviewer',
      'security-reviewer',
      'security-sentinel',
    ]);
    expect(WORKFLOWS.review.broadcast).toBe(false);
    for (const name of ['plan', 'work', 'brainstorm'] as const) {
      expect(WORKFLOWS[name].audience).toEqual(['command']);
      expect(WORKFLOWS[name].subagents).toBe(false);
    }
    for (const name of ['ci', 'debug', 'audit', 'other'] as const) {
      expect(WORKFLOWS[name].audience).toEqual(['caller']);
      expect(WORKFLOWS[name].subagents).toBe(false);
    }
  });

  it('are limited to 500 characters for plan and work, 300 elsewhere', () => {
    for (const { name, maxChars } of Object.values(WORKFLOWS))
      expect(maxChars).toBe(name === 'plan' || name === 'work' ? 500 : 300);
  });

  it('are found by name, `error` stands for debug, and another name is refused with the list', () => {
    expect(workflowOf('error')).toBe(WORKFLOWS.debug);
    expect(workflowOf(undefined)).toBe(WORKFLOWS.other);
    expect(refusal(() => workflowOf('toString'))).toMatchObject({ code: 'invalid_input', field: 'workflow' });
  });
});
