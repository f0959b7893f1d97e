import { CairnError } from '../../kernel/index.ts';
import { classifyEvent, type TierDecision } from '../../protocol/index.ts';
import type { EntryType } from '../model.ts';
import type { RememberRequest } from './request.ts';

/** Types that a caller may name; the old tool turns others into `general`. */
const TYPES: readonly string[] = ['decision', 'context', 'project', 'code', 'general'];

/** Tier and type of one event. */
export interface Classified {
  readonly tier: TierDecision;
  readonly type: EntryType;
  readonly warnings: readonly string[];
}

/** Tier and type. The old tool's door is always `auto`, and an unknown type there is `general`, said so. */
export function classify(request: RememberRequest): Classified {
  const hooks = request.door === 'hooks';
  const tier = classifyEvent(request.source ?? 'manual', request.signal);
  const asked = request.type?.trim().toLowerCase();
  if (asked === undefined || asked === '')
    return { tier, type: (hooks ? 'general' : tier.defaultType) as EntryType, warnings: [] };
  if (TYPES.includes(asked)) return { tier, type: asked as EntryType, warnings: [] };
  if (hooks) return { tier, type: 'general', warnings: [`type "${request.type}" is not known; stored as general`] };
  throw new CairnError('invalid_input', `type must be one of ${TYPES.join(', ')}.`, { field: 'type' });
}
