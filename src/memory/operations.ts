import type { Operation } from '../kernel/index.ts';
import { hooksCapabilities } from './operations/hooks-capabilities.ts';
import { hooksRecall } from './operations/hooks-recall.ts';
import { hooksReembed } from './operations/hooks-reembed.ts';
import { hooksRemember } from './operations/hooks-remember.ts';
import { hooksStats } from './operations/hooks-stats.ts';
import { memoryConfirm } from './operations/memory-confirm.ts';
import { memoryForget } from './operations/memory-forget.ts';
import { memoryGet } from './operations/memory-get.ts';
import { memoryOutcome } from './operations/memory-outcome.ts';
import { memoryRecall } from './operations/memory-recall.ts';
import { memoryRemember } from './operations/memory-remember.ts';

/** The tools of this room, in the order in which they are listed. */
export const memoryOperations: readonly Operation[] = [
  memoryRecall,
  memoryRemember,
  memoryConfirm,
  memoryOutcome,
  memoryGet,
  memoryForget,
  hooksRecall,
  hooksRemember,
  hooksCapabilities,
  hooksStats,
  hooksReembed,
];
