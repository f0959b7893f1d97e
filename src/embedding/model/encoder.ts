import { PAGE_BYTES } from '../wasm.ts';
import { damaged, readFully } from '../weights/header.ts';
import {
  BLOCK_ALIGNMENT,
  ENCODER_BLOCKS,
  SHAPE,
  type WeightsHeader,
  WORD_ROW_BYTES,
  WORDS_BLOCK,
} from '../weights/layout.ts';
import { createKernel } from './kernel.ts';

/** Tokens of one pass, over all its texts; also the most tokens of one text. */
export const PASS_TOKENS = 256;

/** The model in memory (about 14 MB): token ids in, vectors out. Not for use from two places at once. */
export interface Encoder {
  /**
   * One pass: the vector of each text, given as token ids with the special ones included. At most 256 tokens over all
   * texts, at least one in each. The same ids give the same bits in any company.
   */
  encode(texts: readonly (readonly number[])[]): Float32Array[];
}

const align = (bytes: number): number => Math.ceil(bytes / BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT;

/**
 * Loads the encoder's blocks from an open weights file; word rows stay in the file and are read when a token needs one
 * (5 % slower, 12 MB less), so the descriptor must stay open. Errors: `embedder_damaged`.
 */
export function createEncoder(descriptor: number, header: WeightsHeader, path: string): Encoder {
  const first = header.blocks[0];
  const words = header.blocks.at(-1);
  if (first === undefined || words?.name !== WORDS_BLOCK) throw damaged(path, 'it has no word rows');
  const encoderBytes = words.offset - first.offset;
  const { exports, memory } = createKernel();

  const tableAt = 0;
  const blocksAt = align(tableAt + 4 * ENCODER_BLOCKS.length);
  const scratchAt = align(blocksAt + encoderBytes);
  const lengthsAt = align(scratchAt + exports.scratchBytes(PASS_TOKENS));
  const recordsAt = lengthsAt + 4 * PASS_TOKENS;
  const rowsAt = align(recordsAt + 4 * PASS_TOKENS);
  const outAt = align(rowsAt + WORD_ROW_BYTES * PASS_TOKENS);
  memory.grow(Math.ceil((outAt + 4 * SHAPE.hidden * PASS_TOKENS) / PAGE_BYTES));

  const bytes = new Uint8Array(memory.buffer);
  const table = new Uint32Array(memory.buffer, tableAt, ENCODER_BLOCKS.length);
  for (let i = 0; i < ENCODER_BLOCKS.length; i++) table[i] = blocksAt + (header.blocks[i]?.offset ?? 0) - first.offset;
  readFully(descriptor, bytes.subarray(blocksAt, blocksAt + encoderBytes), first.offset, path);
  exports.init(tableAt, scratchAt, PASS_TOKENS);

  const lengths = new Int32Array(memory.buffer, lengthsAt, PASS_TOKENS);
  const records = new Uint32Array(memory.buffer, recordsAt, PASS_TOKENS);
  const out = new Float32Array(memory.buffer, outAt, SHAPE.hidden * PASS_TOKENS);

  const readWord = (id: number, row: number): void => {
    if (!Number.isInteger(id) || id < 0 || id >= SHAPE.vocabulary) throw new RangeError(`No token has the id ${id}.`);
    const at = rowsAt + row * WORD_ROW_BYTES;
    readFully(descriptor, bytes.subarray(at, at + WORD_ROW_BYTES), words.offset + id * WORD_ROW_BYTES, path);
    records[row] = at;
  };

  return {
    encode(texts) {
      const tokens = texts.reduce((sum, ids) => sum + ids.length, 0);
      if (tokens > PASS_TOKENS || texts.some((ids) => ids.length === 0)) {
        throw new RangeError(`A pass takes 1 to ${PASS_TOKENS} tokens and no empty text; this one has ${tokens}.`);
      }
      let row = 0;
      texts.forEach((ids, index) => {
        lengths[index] = ids.length;
        for (const id of ids) readWord(id, row++);
      });
      exports.encode(texts.length, lengthsAt, recordsAt, outAt);
      return texts.map((_, index) => out.slice(index * SHAPE.hidden, (index + 1) * SHAPE.hidden));
    },
  };
}
