export { type ExportAnswer, type ExportRequest, exportMemory } from './exchange/export.ts';
export { type ImportAnswer, type ImportRequest, importMemory } from './exchange/import.ts';
export { type Background, startBackground } from './health/background.ts';
export { backUp } from './health/backups.ts';
export type { Check } from './health/check.ts';
export { acknowledgeRecovered, type Diagnosis, diagnose, rebuildDerived } from './health/doctor.ts';
export { type BackupList, listMemoryBackups, type RestoreMemoryAnswer, restoreMemory } from './health/restore.ts';
export { type ScanAnswer, scanOldRows } from './health/scan.ts';
export type { Answered } from './lifecycle/change.ts';
export { type ConfirmAnswer, type ConfirmRequest, confirm } from './lifecycle/confirm.ts';
export { type ForgetAnswer, type ForgetRequest, forget } from './lifecycle/forget.ts';
export { type GetAnswer, getEntries } from './lifecycle/get.ts';
export type { GetRequest, Queue } from './lifecycle/get-page.ts';
export { type OutcomeAnswer, type OutcomeRequest, recordOutcome, type Verdict } from './lifecycle/outcome.ts';
export { createMemoryResources, type MemoryResources } from './lifecycle/resources.ts';
export { type RestoreAnswer, type RestoreRequest, restoreEntries } from './lifecycle/restore.ts';
export type { ConfirmDecision } from './lifecycle/settle-pending.ts';
export { readStats, type StatsAnswer } from './lifecycle/stats.ts';
export { backupFolderOf } from './lifecycle/traces.ts';
export { type UpdateAnswer, type UpdateRequest, updateEntry } from './lifecycle/update.ts';
export type { EntryView } from './lifecycle/view.ts';
export type { EntryKind, EntryState, EntryType } from './model.ts';
export type { MemoryOperationDeps } from './operations/deps.ts';
export { recall } from './recall/recall.ts';
export type { Finding, RecallAnswer, RecallRequest, RecallResult } from './recall/request.ts';
export { type RememberAnswer, remember } from './remember/remember.ts';
export type { RememberRequest, RememberResult, RememberStatus } from './remember/request.ts';
export {
  type MemoryDeps,
  MemoryRuntime,
  type OpenMemory,
  type Scope,
  type ScopeReport,
  type ScopeRequest,
} from './runtime.ts';
export { MEMORY_MIGRATIONS } from './schema/migrations.ts';
export { type ReembedAnswer, type ReembedRequest, reembed } from './vectors/reembed.ts';
