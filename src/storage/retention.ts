/** Why a backup was made; `daily` ones are thinned out by age, the others are kept for a time. */
export type BackupReason = 'daily' | 'migration' | 'import' | 'restore' | 'forget' | 'manual';

export interface Backup {
  readonly path: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly reason: BackupReason;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/** What stays: so many days and weeks of daily backups, the others for so many days, and all of them below so many bytes. */
const RETENTION = { daily: 7, weekly: 4, otherDays: 90, bytes: 500_000_000 } as const;

/** Backups that have to go, by {@link RETENTION}; the newest one never does. */
export function selectExpired(backups: readonly Backup[], now: number): readonly Backup[] {
  const newestFirst = [...backups].sort((a, b) => b.at - a.at);
  const dailies = newestFirst.filter(({ reason }) => reason === 'daily');
  const kept = new Set<Backup>([
    ...newestFirst.slice(0, 1),
    ...newestPerPeriod(dailies, DAY_MS, RETENTION.daily),
    ...newestPerPeriod(dailies, 7 * DAY_MS, RETENTION.weekly),
    ...newestFirst.filter(({ reason, at }) => reason !== 'daily' && now - at <= RETENTION.otherDays * DAY_MS),
  ]);
  let bytes = 0;
  return newestFirst.filter((backup, index) => {
    if (index > 0 && (!kept.has(backup) || bytes + backup.bytes > RETENTION.bytes)) return true;
    bytes += backup.bytes;
    return false;
  });
}

/** The newest backup of each of the latest `count` periods that have one; periods are counted from 1970 in UTC. */
function newestPerPeriod(newestFirst: readonly Backup[], periodMs: number, count: number): readonly Backup[] {
  const newest = new Map<number, Backup>();
  for (const backup of newestFirst) {
    const period = Math.floor(backup.at / periodMs);
    if (!newest.has(period)) newest.set(period, backup);
  }
  return [...newest.values()].slice(0, count);
}
