import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process and its children, in megabytes (10^6 bytes). */
export interface ProcessMemory {
  /** Resident now. Pages that several processes share are counted in each. */
  readonly resident: number;
  /** The largest resident size so far, summed over the processes. */
  readonly peak: number;
}

function statusField(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return line === undefined ? 0 : Number(line);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

/** Reads `/proc`, so Linux only; elsewhere, and for a process that has ended, `undefined`. */
export function readProcessMemory(pid: number): ProcessMemory | undefined {
  try {
    const own = { resident: statusField(pid, 'VmRSS') * 1.024e-3, peak: statusField(pid, 'VmHWM') * 1.024e-3 };
    return childrenOf(pid).reduce((sum, child) => {
      const more = readProcessMemory(child);
      return more ? { resident: sum.resident + more.resident, peak: sum.peak + more.peak } : sum;
    }, own);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
