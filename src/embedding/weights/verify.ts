import { createHash } from 'node:crypto';
import { fstatSync, mkdirSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damaged } from './header.ts';
import type { WeightsLocation } from './location.ts';

const CHUNK_BYTES = 1 << 20;
const MEMO_FILE = 'minilm-verified.json';

/** What was checked: a file by path, size and modification time, with one build of the kernel. */
export interface VerifiedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly sha256: string;
  /** Names the kernel that passed the self-test with this file. */
  readonly kernel: string;
}

/** What a descriptor shows of the file that a check is about to be remembered for. */
export function identify(descriptor: number, location: WeightsLocation, kernel: string): VerifiedFile {
  const { size, mtimeMs } = fstatSync(descriptor);
  return { path: location.weights, bytes: size, modifiedMs: mtimeMs, sha256: location.weightsSha256, kernel };
}

/** SHA-256 of a whole open file, lower-case hex, read in pieces of 1 MiB. */
function hashFile(descriptor: number): string {
  const hash = createHash('sha256');
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let offset = 0; ; ) {
    const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, offset);
    if (count === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, count));
    offset += count;
  }
}

/** Refuses a file whose contents are not those that the package published; 15 to 60 ms. Errors: `embedder_damaged`. */
export function verifyContents(descriptor: number, location: WeightsLocation): void {
  if (hashFile(descriptor) !== location.weightsSha256)
    throw damaged(location.weights, 'its checksum differs from the published one');
}

/** Whether exactly this file passed all checks before. An unreadable memory counts as "no": the check runs again. */
export function isRemembered(file: VerifiedFile, cacheDirectory: string | undefined): boolean {
  if (cacheDirectory === undefined) return false;
  try {
    return readFileSync(join(cacheDirectory, MEMO_FILE), 'utf8') === JSON.stringify(file);
  } catch {
    return false;
  }
}

/** Remembers a passed check. A cache that cannot be written only means that the next start checks again. */
export function remember(file: VerifiedFile, cacheDirectory: string | undefined): void {
  if (cacheDirectory === undefined) return;
  const path = join(cacheDirectory, MEMO_FILE);
  // A file of one's own first: two processes may start at the same moment.
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(cacheDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(file), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // Nothing to do: a read-only cache costs the check at each start and no more.
  }
}
