import { ERROR_FIX_FLOOR, RECALL_FLOOR } from './constants.ts';

/** A score as it is reported and compared: four decimals. Rounding comes before any comparison. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** Whether a score may be shown; it is rounded first, so 0.49996 passes a floor of 0.5. */
export function passesFloor(score: number, floor: number): boolean {
  return roundScore(score) >= floor;
}

/** The floor of one pair: 0.40 for an error query against an error-fix entry, 0.5 for everything else. */
export function floorOf(isErrorQuery: boolean, kind: 'learning' | 'error_fix'): number {
  return isErrorQuery && kind === 'error_fix' ? ERROR_FIX_FLOOR : RECALL_FLOOR;
}
