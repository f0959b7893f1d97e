import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { WeightsLocation } from '../embedding/index.ts';

/** The published hashes, beside the weights. */
interface Manifest {
  readonly weightsSha256: string;
  readonly vocabularySha256: string;
}

/**
 * Where the weights package lies, `undefined` while it is not installed. Resolved by its package file and not imported:
 * the embedder asks again later, and a failed import would be remembered for the life of the process.
 */
export function resolveWeights(): WeightsLocation | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('cairn-minilm/package.json'));
    const { weightsSha256, vocabularySha256 } = JSON.parse(
      readFileSync(join(folder, 'manifest.json'), 'utf8'),
    ) as Manifest;
    return {
      weights: join(folder, 'all-minilm-l6-v2.bin'),
      vocabulary: join(folder, 'vocab.txt'),
      weightsSha256,
      vocabularySha256,
    };
  } catch {
    // Not installed, or torn: either way there are no weights to use, and `doctor` says so.
    return undefined;
  }
}
