import { CairnError, isCairnError, type RequestContext } from '../../kernel/index.ts';
import { acknowledgeRecovery, type Database } from '../../storage/index.ts';
import { checkNearLate } from '../remember/late-near-check.ts';
import type { MemoryRuntime, OpenMemory, ScopeReport, ScopeRequest } from '../runtime.ts';
import { backUp } from './backups.ts';
import { type Check, fault, ok } from './check.ts';
import { checkDerived } from './derived-check.ts';
import { checkPlace } from './place-checks.ts';
import { rebuildTables } from './rebuild.ts';
import { checkOldRows, checkStore } from './store-checks.ts';
import { checkBackups, checkWork } from './work-checks.ts';

export interface Diagnosis {
  /** No check found a fault. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly scope?: ScopeReport;
}

/**
 * Looks at everything that can be wrong with a memory, and says for each what to do. Changes nothing in the store;
 * takes about a second for 4,000 entries. A store that cannot be opened is a check, not an error.
 */
export async function diagnose(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<Diagnosis> {
  let checks: Check[];
  let scope: ScopeReport | undefined;
  try {
    const opened = await runtime.forRead(context, request);
    scope = opened.report;
    const { memory } = opened;
    checks = checkPlace(opened);
    if (memory === undefined) checks.push(ok('entries', 'Nothing has been stored here yet.'));
    else {
      const store = await checkStore(runtime, memory);
      checks.push(...store);
      // A damaged file would only fail in other words further down.
      if (store.every(({ state }) => state !== 'fault') && !memory.store.readOnly)
        checks.push(await checkDerived(runtime, memory));
      checks.push(
        ...checkWork(runtime, opened, memory),
        await checkOldRows(memory),
        await checkBackups(runtime, memory),
      );
    }
  } catch (error) {
    if (!isCairnError(error) || error.code === 'cancelled') throw error;
    const fix = error.repair !== undefined && 'command' in error.repair ? error.repair.command : undefined;
    checks = [fault(error.code === 'no_project' ? 'project' : 'store', error.message, fix)];
  }
  return { ok: checks.every(({ state }) => state !== 'fault'), checks, ...(scope === undefined ? {} : { scope }) };
}

export interface RebuildAnswer {
  /** Events replayed. */
  readonly events: number;
  /** Entries whose near-duplicate check was made up for. */
  readonly nearChecks: number;
  /** The copy of what was there before; none of an empty store, nor of one whose search tables cannot even be read. */
  readonly backup?: string;
  readonly scope: ScopeReport;
}

const NEAR_CHECKS = 1_000;

/**
 * Makes the search tables again from the log, which stays as it is; they may be unreadable before. One write
 * transaction: others wait for it meanwhile, so this is for a person, on the command line.
 */
export async function rebuildDerived(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<RebuildAnswer> {
  const { report, memory } = await openExisting(runtime, context, request);
  const backup = await backUpIfSound(runtime, memory);
  const events = await memory.store.write((db: Database) =>
    rebuildTables(db, (text) => runtime.deps.embedder.countTokens(text)),
  );
  const nearChecks = await checkNearLate(memory, runtime.deps.clock.now(), NEAR_CHECKS);
  return { events, nearChecks, ...(backup === undefined ? {} : { backup }), scope: report };
}

async function backUpIfSound(runtime: MemoryRuntime, memory: OpenMemory): Promise<string | undefined> {
  try {
    return (await backUp(runtime, memory, 'manual'))?.path;
  } catch (error) {
    // Damaged search tables are what a rebuild is for; the texts are not touched by it.
    if (isCairnError(error) && error.code === 'store_damaged') return undefined;
    throw error;
  }
}

/** Ends the report of a recovery in every answer; the damaged files stay in quarantine. */
export async function acknowledgeRecovered(
  runtime: MemoryRuntime,
  context: RequestContext,
  request: ScopeRequest,
): Promise<void> {
  const { memory } = await openExisting(runtime, context, request);
  await acknowledgeRecovery(memory.store);
}

/** A store to be mended must be there: none is made by trying. */
async function openExisting(runtime: MemoryRuntime, context: RequestContext, request: ScopeRequest) {
  const seen = await runtime.forRead(context, request);
  if (seen.memory === undefined) throw new CairnError('not_found', 'Nothing has been stored here yet.');
  return runtime.forWrite(context, request);
}
