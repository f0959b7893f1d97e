import { CairnError } from '../kernel/index.ts';

export type Tier = 'auto' | 'prompted' | 'skip';
export type MemoryType = 'decision' | 'context' | 'project' | 'code' | 'general';

export const MEMORY_TYPES: readonly MemoryType[] = ['decision', 'context', 'project', 'code', 'general'];

/** One event source: which signals lead where. A source with the single signal `*` takes any or none. */
export interface EventSource {
  readonly name: string;
  readonly usedBy: string;
  readonly auto: readonly string[];
  readonly prompted: readonly string[];
  readonly skip: readonly string[];
  readonly defaultType: MemoryType;
}

const ANY = ['*'] as const;
const NONE = [] as const;

export const EVENT_SOURCES: readonly EventSource[] = [
  {
    name: 'review',
    usedBy: 'yellow-review',
    auto: ['p0', 'p1'],
    prompted: ['p2'],
    skip: ['p3'],
    defaultType: 'context',
  },
  {
    name: 'session_review',
    usedBy: 'flow:review',
    auto: ['p0', 'p1'],
    prompted: ['p2'],
    skip: ['p3'],
    defaultType: 'context',
  },
  {
    name: 'ci',
    usedBy: 'yellow-ci',
    auto: ['root_cause'],
    prompted: ['workaround'],
    skip: ['status'],
    defaultType: 'context',
  },
  {
    name: 'debt',
    usedBy: 'yellow-debt',
    auto: ['security'],
    prompted: ['complexity', 'duplication'],
    skip: ['style'],
    defaultType: 'code',
  },
  {
    name: 'browser_test',
    usedBy: 'yellow-browser-test',
    auto: ['crash', 'data_loss'],
    prompted: ['ui'],
    skip: ['pass'],
    defaultType: 'context',
  },
  {
    name: 'work',
    usedBy: 'yellow-core (work)',
    auto: ['insight'],
    prompted: NONE,
    skip: NONE,
    defaultType: 'decision',
  },
  { name: 'compound', usedBy: 'yellow-core (compound)', auto: ANY, prompted: NONE, skip: NONE, defaultType: 'project' },
  {
    name: 'brainstorm',
    usedBy: 'yellow-core (brainstorm)',
    auto: NONE,
    prompted: ['rationale'],
    skip: NONE,
    defaultType: 'decision',
  },
  { name: 'plan', usedBy: 'yellow-core (plan)', auto: NONE, prompted: NONE, skip: ANY, defaultType: 'general' },
  { name: 'spec', usedBy: 'yellow-core (spec)', auto: NONE, prompted: NONE, skip: ANY, defaultType: 'general' },
  {
    name: 'research',
    usedBy: 'yellow-research',
    auto: NONE,
    prompted: ['finding'],
    skip: NONE,
    defaultType: 'general',
  },
  { name: 'delegation', usedBy: 'yellow-devin', auto: NONE, prompted: ['failure'], skip: NONE, defaultType: 'context' },
  {
    name: 'project_management',
    usedBy: 'yellow-linear',
    auto: NONE,
    prompted: NONE,
    skip: ANY,
    defaultType: 'general',
  },
  { name: 'stack', usedBy: 'gt-workflow', auto: NONE, prompted: NONE, skip: ANY, defaultType: 'general' },
  { name: 'manual', usedBy: 'a person asked', auto: ANY, prompted: NONE, skip: NONE, defaultType: 'general' },
  {
    name: 'debug',
    usedBy: 'debugging',
    auto: ['verified'],
    prompted: ['believed'],
    skip: NONE,
    defaultType: 'context',
  },
];

/** Names of all sources, for input schemas and messages. */
export const EVENT_SOURCE_NAMES: readonly string[] = EVENT_SOURCES.map(({ name }) => name);

export interface TierDecision {
  readonly tier: Tier;
  /** Which cell decided, such as `review p1: auto`. */
  readonly rule: string;
  readonly defaultType: MemoryType;
}

/**
 * The tier of an event. Throws `invalid_input` for an unknown source or signal, and where a source has several
 * signals and none was given; the message lists the values.
 */
export function classifyEvent(sourceName: string, signal: string | undefined): TierDecision {
  const source = EVENT_SOURCES.find(({ name }) => name === sourceName);
  if (source === undefined) {
    throw new CairnError('invalid_input', `source must be one of ${EVENT_SOURCE_NAMES.join(', ')}.`, {
      field: 'source',
    });
  }
  const cells: readonly (readonly [Tier, readonly string[]])[] = [
    ['auto', source.auto],
    ['prompted', source.prompted],
    ['skip', source.skip],
  ];
  const whole = cells.find(([, signals]) => signals === ANY);
  if (whole !== undefined)
    return { tier: whole[0], rule: `${source.name}: ${whole[0]}`, defaultType: source.defaultType };
  const all = cells.flatMap(([, signals]) => signals);
  const given = signal ?? (all.length === 1 ? all[0] : undefined);
  const cell = cells.find(([, signals]) => given !== undefined && signals.includes(given));
  if (given === undefined || cell === undefined) {
    throw new CairnError('invalid_input', `signal of source ${source.name} must be one of ${all.join(', ')}.`, {
      field: 'signal',
    });
  }
  return { tier: cell[0], rule: `${source.name} ${given}: ${cell[0]}`, defaultType: source.defaultType };
}
