export { type BlockFinding, type BlockOptions, type RenderedBlock, renderBlock } from './block.ts';
export {
  CONFIRM_QUESTION,
  DEDUP_THRESHOLD,
  DEDUP_TOP_K,
  ERROR_FIX_FLOOR,
  ERROR_FIX_KEEP,
  ERROR_FIX_MAX_CHARS,
  ERROR_FIX_SENTINEL,
  ERROR_FIX_TOP_K,
  MIN_PART_WORDS,
  MIN_SIGNATURE_CHARS,
  MIN_WORDS,
  NEAR_DUPLICATE_REASON,
  PROTOCOL_SENTINEL,
  RECALL_FLOOR,
  RECALL_KEEP,
  RECALL_MAX_CHARS,
  RECALL_TOP_K,
  REQUIRED_PHRASE,
  RETRY_DELAY_MS,
  RETRY_LIMIT,
  WARMUP_RANGE_MS,
} from './constants.ts';
export { looksLikeRecalledBlock } from './echo.ts';
export { type ErrorFixRecord, renderErrorFix } from './error-fix.ts';
export { fitErrorFix } from './error-fix-fit.ts';
export { type ParsedErrorFix, parseErrorFix } from './error-fix-parse.ts';
export { type CategorisedFile, categoriseFile, type FileCategory } from './file-categories.ts';
export { checkQualityGates, type GateInput, type GateName, type GateReport } from './gates.ts';
export { type LabelledParts, parseLabelledParts } from './labelled-parts.ts';
export { frameWithNonce } from './nonce-frame.ts';
export { cairnNotice, NOTICES, type NoticeName } from './notices.ts';
export { type DomainPrefix, findPrefix, PREFIXES, type PrefixedQuery, parsePrefix } from './prefixes.ts';
export { type ExtractedQuery, extractQuery, isErrorQuery, type QueryOrigin, type QuerySource } from './query.ts';
export { floorOf, passesFloor, roundScore } from './score.ts';
export {
  DEGRADED_REASONS,
  type DegradedReason,
  RECALL_STATUSES,
  REMEMBER_STATUSES,
  type RecallStatus,
  type RememberStatusName,
  type StatusRule,
} from './statuses.ts';
export {
  classifyEvent,
  EVENT_SOURCE_NAMES,
  EVENT_SOURCES,
  type EventSource,
  MEMORY_TYPES,
  type MemoryType,
  type Tier,
  type TierDecision,
} from './tiers.ts';
export {
  AUDIENCE_REPLACEMENTS,
  advisoryOf,
  WORKFLOW_NAMES,
  WORKFLOWS,
  type Workflow,
  type WorkflowName,
  workflowOf,
} from './workflows.ts';
