/**
 * The weights file: what is in it and where. All numbers are little-endian.
 *
 * ```
 * 0   8 bytes   magic "CAIRNWTS"
 * 8   u32       version of this layout
 * 12  u32       bytes of the JSON header
 * 16  JSON      WeightsHeader, UTF-8; then zeros up to a multiple of 64
 *     blocks    each at the offset that the header gives, on 64 bytes; the encoder's first, the word rows last
 * ```
 */

export const MAGIC = 'CAIRNWTS';
export const LAYOUT_VERSION = 1;
/** Magic, version and header length. */
export const PREAMBLE_BYTES = 16;
/** A longer header is not ours: reading stops before anything is allocated for it. */
export const MAX_HEADER_BYTES = 65_536;
export const BLOCK_ALIGNMENT = 64;

/** The shape that the kernel is built for; a file with any other is refused. */
export const SHAPE = {
  layers: 6,
  hidden: 384,
  heads: 12,
  feedForward: 1_536,
  vocabulary: 30_522,
  positions: 256,
} as const;

/**
 * Neurons of each feed-forward block that are computed once more. A few of their outgoing weights are up to 38 times
 * the root mean square of their row, and the row's one scale has to reach them: all its other weights become coarse.
 * Such a neuron is computed several times with a share of the weight each (outlier channel splitting, Zhao et al.
 * 2019), which changes nothing in the result and lets every row have a finer scale.
 */
export const SPLIT_NEURONS = 64;
/** Neurons of a feed-forward block as computed. */
export const WIDE = SHAPE.feedForward + SPLIT_NEURONS;

/** A word row: float32 scale, then one int8 for each hidden value. */
export const WORD_ROW_BYTES = 4 + SHAPE.hidden;
export const WORDS_BLOCK = 'words';

/** `i8-panels`: `[N/8][K/2][8][2]` int8 of a K × N product. `i8-rows`: float32 scale and int8 values row by row. */
export type BlockType = 'f32' | 'i8-panels' | 'i8-rows';

export interface BlockShape {
  readonly name: string;
  readonly type: BlockType;
  readonly shape: readonly [number, number] | readonly [number];
  readonly bytes: number;
}

function floats(name: string, ...shape: [number, number] | [number]): BlockShape {
  return { name, type: 'f32', shape, bytes: shape.reduce((product, size) => product * size, 4) };
}

function product(name: string, depth: number, width: number): BlockShape[] {
  const weights: BlockShape = {
    name: `${name}.weights`,
    type: 'i8-panels',
    shape: [width, depth],
    bytes: width * depth,
  };
  return [weights, floats(`${name}.scales`, width), floats(`${name}.bias`, width)];
}

function layer(index: number): BlockShape[] {
  const { hidden } = SHAPE;
  const at = (part: string): string => `layer${index}.${part}`;
  return [
    ...product(at('qkv'), hidden, 3 * hidden),
    ...product(at('output'), hidden, hidden),
    floats(at('attentionNorm.gain'), hidden),
    floats(at('attentionNorm.bias'), hidden),
    ...product(at('expand'), hidden, WIDE),
    ...product(at('contract'), WIDE, hidden),
    floats(at('finalNorm.gain'), hidden),
    floats(at('finalNorm.bias'), hidden),
  ];
}

/** All blocks but the word rows, in the order of the kernel's model table. */
export const ENCODER_BLOCKS: readonly BlockShape[] = [
  floats('positions', SHAPE.positions, SHAPE.hidden),
  floats('embeddingNorm.gain', SHAPE.hidden),
  floats('embeddingNorm.bias', SHAPE.hidden),
  ...Array.from({ length: SHAPE.layers }, (_, index) => layer(index)).flat(),
];

/** The word rows, read from the file on demand. */
export const WORDS: BlockShape = {
  name: WORDS_BLOCK,
  type: 'i8-rows',
  shape: [SHAPE.vocabulary, SHAPE.hidden],
  bytes: SHAPE.vocabulary * WORD_ROW_BYTES,
};

export interface Block extends BlockShape {
  /** From the start of the file. */
  readonly offset: number;
}

export interface WeightsHeader {
  readonly model: string;
  readonly revision: string;
  /** The file that the weights were made from. */
  readonly source: { readonly file: string; readonly sha256: string };
  readonly licence: string;
  readonly shape: typeof SHAPE;
  readonly fileBytes: number;
  readonly blocks: readonly Block[];
  /** Token ids and the vector that the kernel must give for them, each value within 1e-4. */
  readonly selfTest: { readonly ids: readonly number[]; readonly vector: readonly number[] };
}

/** Where the blocks lie in a file whose header and padding take `start` bytes. */
export function placeBlocks(start: number): Block[] {
  let offset = start;
  return [...ENCODER_BLOCKS, WORDS].map((shape) => {
    const block = { ...shape, offset };
    offset += Math.ceil(shape.bytes / BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT;
    return block;
  });
}
