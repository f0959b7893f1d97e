import type { Database } from '../../storage/index.ts';
import { activeSpace, findSpace, type SpaceRow } from '../store/vectors.ts';
import { mapPiecewise, type PiecewiseMap } from './score.ts';

/** A query's vector with the space that it belongs to. */
export interface QueryVector {
  readonly vector: Float32Array;
  readonly fingerprint: string;
}

/** A space as recall uses it. */
export interface SearchedSpace {
  readonly row: SpaceRow;
  /** From cosine to the scale of the floors; `undefined` for the model that the floors were measured with. */
  readonly calibration: PiecewiseMap | undefined;
}

/**
 * The space in which a vector may be compared: the one that is searched, or the one that is being filled where the
 * vector was made by its model. Vectors of another model are never compared, whatever their dimension.
 */
export function spaceOf(db: Database, fingerprint: string): SearchedSpace | undefined {
  const active = activeSpace(db);
  const row = active?.fingerprint === fingerprint ? active : findSpace(db, fingerprint);
  return row === undefined ? undefined : { row, calibration: readCalibration(db, row.key) };
}

function readCalibration(db: Database, spaceKey: number): PiecewiseMap | undefined {
  const stored = db.get<{ calibration: string | null }>('SELECT calibration FROM space WHERE key = ?', [
    spaceKey,
  ])?.calibration;
  if (stored === undefined || stored === null) return undefined;
  const { map } = JSON.parse(stored) as { map?: PiecewiseMap };
  return map;
}

/** A cosine as evidence in [0, 1]. */
export function denseEvidence(cosine: number, calibration: PiecewiseMap | undefined): number {
  const bounded = Math.min(1, Math.max(0, cosine));
  return calibration === undefined ? bounded : mapPiecewise(calibration, bounded);
}
