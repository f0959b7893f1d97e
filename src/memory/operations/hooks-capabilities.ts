import { z } from 'zod';
import { defineOperation } from '../../kernel/index.ts';
import {
  DEDUP_THRESHOLD,
  DEDUP_TOP_K,
  ERROR_FIX_FLOOR,
  ERROR_FIX_KEEP,
  ERROR_FIX_MAX_CHARS,
  ERROR_FIX_SENTINEL,
  ERROR_FIX_TOP_K,
  PROTOCOL_SENTINEL,
  RECALL_FLOOR,
  RECALL_KEEP,
  RECALL_MAX_CHARS,
  RECALL_TOP_K,
  REQUIRED_PHRASE,
  RETRY_DELAY_MS,
  RETRY_LIMIT,
} from '../../protocol/index.ts';
import { type CapabilitiesAnswer, readCapabilities } from '../lifecycle/capabilities.ts';
import type { MemoryOperationDeps } from './deps.ts';
import { READS } from './effects.ts';
import { ANSWER_CHARS, plainObject } from './shared-schemas.ts';

const input = z.strictObject({});

const output = z.object({
  success: z.boolean(),
  capabilities: plainObject,
  features: plainObject,
  stats: plainObject,
  mode: z.string(),
  embedder: plainObject,
  protocol: plainObject,
  version: z.string(),
  warnings: z.array(z.string()),
});

/** The constants by which callers and this server must agree. */
const PROTOCOL = {
  recall_top_k: RECALL_TOP_K,
  recall_floor: RECALL_FLOOR,
  recall_keep: RECALL_KEEP,
  recall_max_chars: RECALL_MAX_CHARS,
  error_fix_top_k: ERROR_FIX_TOP_K,
  error_fix_floor: ERROR_FIX_FLOOR,
  error_fix_keep: ERROR_FIX_KEEP,
  error_fix_max_chars: ERROR_FIX_MAX_CHARS,
  dedup_top_k: DEDUP_TOP_K,
  dedup_threshold: DEDUP_THRESHOLD,
  retry_limit: RETRY_LIMIT,
  retry_delay_ms: RETRY_DELAY_MS,
  required_phrase: REQUIRED_PHRASE,
  sentinel: PROTOCOL_SENTINEL,
  error_fix_sentinel: ERROR_FIX_SENTINEL,
};

function toFeatures({ mode, embedder, embeddingDim }: CapabilitiesAnswer): Record<string, unknown> {
  const hybrid = mode === 'hybrid';
  return {
    vectorDb: hybrid
      ? 'exact scan over float32 vectors kept in the project store'
      : 'no vectors; full-text and trigram search',
    sona: 'not provided; nothing is learned from clicks',
    attention: 'not provided; sentence vectors come from one fixed model',
    embeddingDim,
    embedder: hybrid
      ? `${embedder.model ?? 'model'}, ${embedder.state}`
      : `no vectors now (${embedder.state}); search by words works`,
    durability: 'a write is flushed to disk before it is answered',
  };
}

/** What this server can do, with the names that older consumers look for. */
export const hooksCapabilities = defineOperation<MemoryOperationDeps, typeof input, typeof output>({
  name: 'hooks_capabilities',
  title: 'Memory capabilities',
  description:
    'Tells which search mode works now, the state of the embedder and the protocol constants. Fast, changes nothing; no warm-up is needed.',
  input,
  output,
  effects: READS,
  limits: { inputBytes: 1_024, outputChars: ANSWER_CHARS, requests: 0 },
  async run({ deps, context }) {
    const answer = await readCapabilities(deps.memory, context);
    const hybrid = answer.mode === 'hybrid';
    return {
      structured: {
        success: true,
        capabilities: {
          engine: hybrid,
          vectorDb: hybrid,
          sona: false,
          attention: false,
          embeddingDim: answer.embeddingDim,
        },
        features: toFeatures(answer),
        stats: {
          totalMemories: answer.total,
          trajectoriesRecorded: 0,
          patternsLearned: 0,
          microLoraUpdates: 0,
          ewcConsolidations: 0,
        },
        mode: answer.mode,
        embedder: { ...answer.embedder },
        protocol: PROTOCOL,
        version: answer.version,
        warnings: [...answer.warnings],
      },
    };
  },
});
