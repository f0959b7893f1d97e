/** The value that a share (0 to 1) of the samples does not exceed; nearest rank. */
function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))];
  if (value === undefined) throw new Error('quantile: no samples');
  return value;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** A series of one measure, in the unit of its samples. */
export interface Summary {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export function summarise(samples: readonly number[]): Summary {
  return { count: samples.length, median: median(samples), p95: quantile(samples, 0.95), max: quantile(samples, 1) };
}

/** A number for a table: about three significant digits. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
