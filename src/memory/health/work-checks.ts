import { hostname } from 'node:os';
import { type Lease, listBackups, listLeases, verifyDatabase } from '../../storage/index.ts';
import { isImporting } from '../exchange/old-file-state.ts';
import { countUnchecked } from '../remember/late-near-check.ts';
import type { MemoryRuntime, OpenMemory, Scope } from '../runtime.ts';
import { findSpace } from '../store/vectors.ts';
import { coverageOf } from '../vectors/spaces.ts';
import { backupDepsOf } from './backups.ts';
import { type Check, fault, ok, plural, warn } from './check.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/** Vectors, old files, questions that wait, work of other processes. */
export function checkWork(runtime: MemoryRuntime, scope: Scope, memory: OpenMemory): Check[] {
  const now = runtime.deps.clock.now();
  return [
    checkVectors(scope, memory),
    ...(isImporting(runtime, scope)
      ? [warn('importing', 'An intelligence.json beside the store has not been taken in yet.', 'cairn memory import')]
      : []),
    ...checkQueues(memory, now),
    ...listLeases(memory.store.db).flatMap((lease) => checkLease(lease, now)),
  ];
}

function checkVectors({ embedder }: Scope, memory: OpenMemory): Check {
  if (embedder === undefined) return ok('vectors', 'Lexical search by choice ("embedder": "none").');
  const space = embedder.space();
  if (space === undefined) {
    const isDamaged = embedder.state() === 'damaged';
    const text = isDamaged ? 'The model weights fail their checksum' : 'The model weights are not installed';
    return fault('vectors', `${text}; search is lexical.`, 'npm install --global cairn-mcp');
  }
  const { total, done, waiting, unused } = coverageOf(
    memory.store.db,
    findSpace(memory.store.db, space.fingerprint)?.key,
  );
  const rest = unused === 0 ? '' : ` ${plural(unused, 'vector')} of other models are not used.`;
  const text = `${done} of ${plural(total, 'passage')} have a vector of ${space.parts.model} (${space.fingerprint}).${rest}`;
  return waiting === 0 ? ok('vectors', text) : warn('vectors', text, 'cairn memory reembed');
}

function checkQueues({ store: { db } }: OpenMemory, now: number): Check[] {
  const pending = db.get<{ n: number; oldest: number | null }>(
    'SELECT COUNT(*) AS n, MIN(created_at) AS oldest FROM pending WHERE decided IS NULL AND expires_at > ?',
    [now],
  );
  const quarantined = db.get<{ n: number; oldest: number | null }>(
    "SELECT COUNT(*) AS n, MIN(updated_at) AS oldest FROM entry WHERE state = 'quarantined'",
  );
  const unchecked = countUnchecked(db);
  const checks: Check[] = [];
  for (const [name, row, fix] of [
    ['pending', pending, 'cairn memory confirm'],
    ['quarantined', quarantined, 'cairn memory list --queue quarantined'],
  ] as const) {
    if (row === undefined || row.n === 0) continue;
    checks.push(
      warn(
        name,
        `${plural(row.n, 'item')} ${row.n === 1 ? 'waits' : 'wait'} for a person, the oldest for ${describeAge(now - (row.oldest ?? now))}.`,
        fix,
      ),
    );
  }
  if (checks.length === 0) checks.push(ok('queues', 'Nothing waits for a person.'));
  if (unchecked > 0)
    checks.push(
      warn(
        'near_checks',
        `${plural(unchecked, 'entry', 'entries')} wait for their near-duplicate check.`,
        'cairn doctor --rebuild',
      ),
    );
  return checks;
}

function describeAge(ms: number): string {
  return ms < DAY_MS ? plural(Math.floor(ms / HOUR_MS), 'hour') : plural(Math.floor(ms / DAY_MS), 'day');
}

function checkLease({ name, pid, host, expiresAt }: Lease, now: number): Check[] {
  if (expiresAt <= now) return [];
  const isHere = host === hostname();
  if (isHere && !isAlive(pid)) {
    return [
      warn(
        'lease',
        `Process ${pid} died during "${name}"; another one takes it over in ${Math.ceil((expiresAt - now) / 1000)} s.`,
      ),
    ];
  }
  return [ok('lease', `Process ${pid}${isHere ? '' : ` on ${host}`} works on "${name}".`)];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // No permission to signal it: it lives and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Age of the newest backup, and whether it can be restored. */
export async function checkBackups(runtime: MemoryRuntime, memory: OpenMemory): Promise<Check> {
  const { folder } = backupDepsOf(runtime, memory);
  const backups = listBackups(folder);
  const [newest] = backups;
  if (newest === undefined) {
    const isEmpty = memory.store.db.get('SELECT 1 FROM entry_identity LIMIT 1') === undefined;
    return isEmpty
      ? ok('backups', 'Nothing to back up yet.')
      : warn('backups', `No backup in ${folder} yet; a server makes one a day.`, 'cairn memory backup');
  }
  const age = describeAge(runtime.deps.clock.now() - newest.at);
  const { ok: isSound, problems } = await verifyDatabase(newest.path, runtime.deps.storageWorker);
  if (!isSound)
    return fault(
      'backups',
      `The newest backup ${newest.path} is damaged: ${problems[0] ?? 'unknown'}.`,
      'cairn memory backup',
    );
  return ok('backups', `${plural(backups.length, 'backup')} in ${folder}, the newest ${age} old and sound.`);
}
