import { damaged } from '../weights/header.ts';
import type { WeightsHeader } from '../weights/layout.ts';
import type { Encoder } from './encoder.ts';

/** The kernel's arithmetic is the same bits everywhere; the header keeps six decimals, so more than this is a fault. */
const TOLERANCE = 1e-4;

/** Embeds the header's ids and compares with the header's vector; 5 ms. Errors: `embedder_damaged`. */
export function runSelfTest(encoder: Encoder, header: WeightsHeader, path: string): void {
  const { ids, vector: expected } = header.selfTest;
  const [vector] = encoder.encode([ids]);
  const agrees =
    vector !== undefined &&
    expected.length === vector.length &&
    expected.every((value, i) => Math.abs(value - (vector[i] ?? Number.NaN)) <= TOLERANCE);
  if (!agrees) throw damaged(path, 'the self-test gave another vector');
}
