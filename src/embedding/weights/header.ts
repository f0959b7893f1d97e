import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CairnError } from '../../kernel/index.ts';
import {
  BLOCK_ALIGNMENT,
  LAYOUT_VERSION,
  MAGIC,
  MAX_HEADER_BYTES,
  PREAMBLE_BYTES,
  placeBlocks,
  type WeightsHeader,
} from './layout.ts';

/** Says why a weights file was refused and what to do; `embedder_damaged`. */
export function damaged(path: string, reason: string, cause?: unknown): CairnError {
  return new CairnError(
    'embedder_damaged',
    `The model weights at ${path} were refused: ${reason}. Install cairn-minilm again.`,
    {
      repair: { command: 'npm install --force cairn-minilm', note: 'Until then search works on text alone.' },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** `embedder_missing` for a file that is not there or cannot be opened. */
export function missing(path: string | undefined, cause?: unknown): CairnError {
  const where =
    path === undefined ? 'The package cairn-minilm is not installed' : `The model weights at ${path} cannot be opened`;
  return new CairnError('embedder_missing', `${where}. Install cairn-minilm; it is picked up without a restart.`, {
    repair: { command: 'npm install cairn-minilm', note: 'Until then search works on text alone.' },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Opens a file of the package for reading. Errors: `embedder_missing`. */
export function openForReading(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw missing(path, error);
  }
}

/** Fills `target` from `offset` of an open file. Errors: `embedder_damaged` where the file ends first. */
export function readFully(descriptor: number, target: Uint8Array, offset: number, path: string): void {
  for (let done = 0; done < target.byteLength; ) {
    const count = readSync(descriptor, target, done, target.byteLength - done, offset + done);
    if (count === 0) throw damaged(path, 'the file is shorter than it says');
    done += count;
  }
}

function sameBlocks(header: WeightsHeader, start: number): boolean {
  return JSON.stringify(header.blocks) === JSON.stringify(placeBlocks(start));
}

/**
 * Reads and checks the header of an open weights file: magic, version, every offset, and that the file has the size
 * that the header states. Contents are checked by `verifyWeights`. Errors: `embedder_damaged`.
 */
export function readHeader(descriptor: number, path: string): WeightsHeader {
  const preamble = new Uint8Array(PREAMBLE_BYTES);
  readFully(descriptor, preamble, 0, path);
  const view = new DataView(preamble.buffer);
  if (Buffer.from(preamble.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC)
    throw damaged(path, 'it is not a weights file of Cairn');
  const version = view.getUint32(8, true);
  if (version !== LAYOUT_VERSION)
    throw damaged(path, `it has layout ${version}, this version of Cairn reads ${LAYOUT_VERSION}`);
  const length = view.getUint32(12, true);
  if (length > MAX_HEADER_BYTES) throw damaged(path, 'its header is too long');
  const json = new Uint8Array(length);
  readFully(descriptor, json, PREAMBLE_BYTES, path);
  let header: WeightsHeader;
  try {
    header = JSON.parse(Buffer.from(json).toString('utf8')) as WeightsHeader;
  } catch (error) {
    throw damaged(path, 'its header is not JSON', error);
  }
  const start = Math.ceil((PREAMBLE_BYTES + length) / BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT;
  if (!sameBlocks(header, start)) throw damaged(path, 'its blocks are not where the kernel expects them');
  if (fstatSync(descriptor).size !== header.fileBytes) throw damaged(path, 'its size is not the one that it states');
  return header;
}

/** The header of the file at `path`. Errors: `embedder_missing`, `embedder_damaged`. */
export function readHeaderOf(path: string): WeightsHeader {
  const descriptor = openForReading(path);
  try {
    return readHeader(descriptor, path);
  } finally {
    closeSync(descriptor);
  }
}
