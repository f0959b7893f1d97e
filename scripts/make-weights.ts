/**
 * Makes the weights file of `packages/minilm` from the published full-precision weights:
 * `tsx scripts/make-weights.ts <folder with model.safetensors and vocab.txt> [output folder]`.
 * The same input gives the same bytes. The layout is that of `src/embedding/weights/layout.ts`.
 *
 * Linear layers and word rows become int8 with one symmetric scale per output row. The layers are rounded so that their
 * outputs change least on a few thousand tokens of text (`scripts/weights/`); plain rounding would put pair cosines off
 * by up to .014. Queries are multiplied by 1/√32 beforehand (the divisor of attention scores), and query, key and value
 * are joined into one product. A minute or two.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createEncoder } from '../src/embedding/model/encoder.ts';
import { parseVocabulary } from '../src/embedding/tokenizer/vocabulary.ts';
import { createTokenizer } from '../src/embedding/tokenizer/word-piece.ts';
import {
  BLOCK_ALIGNMENT,
  type BlockShape,
  ENCODER_BLOCKS,
  LAYOUT_VERSION,
  MAGIC,
  PREAMBLE_BYTES,
  placeBlocks,
  SHAPE,
  type WeightsHeader,
  WORD_ROW_BYTES,
  WORDS,
} from '../src/embedding/weights/layout.ts';
import { sha256 } from '../src/kernel/index.ts';
import { drawTexts } from './weights/calibration.ts';
import { walkProducts } from './weights/full-precision.ts';
import { secondMoments } from './weights/matrix.ts';
import { roundProduct, roundRows } from './weights/rounding.ts';
import { readSafetensors, type Tensors } from './weights/safetensors.ts';

const SOURCE_SHA256 = '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db';
/** "This is an example sentence" */
const SELF_TEST_IDS = [101, 2023, 2003, 2019, 2742, 6251, 102];

/** `[N][K]` to `[N/8][K/2][8][2]`: panels of eight columns of the product, pairs of K side by side. */
function toPanels(integers: Int8Array, width: number, depth: number): Uint8Array {
  const panels = new Int8Array(width * depth);
  for (let column = 0; column < width; column++) {
    for (let k = 0; k < depth; k++) {
      const at = (column >> 3) * 8 * depth + (k >> 1) * 16 + (column & 7) * 2 + (k & 1);
      panels[at] = integers[column * depth + k] ?? 0;
    }
  }
  return new Uint8Array(panels.buffer);
}

const toBytes = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** The contents of every block by name. */
function makeBlocks(tensor: Tensors, texts: readonly (readonly number[])[]): Map<string, Uint8Array> {
  const blocks = new Map<string, Uint8Array>();
  const addNorm = (name: string, source: string): void => {
    blocks.set(`${name}.gain`, toBytes(tensor(`${source}.weight`)));
    blocks.set(`${name}.bias`, toBytes(tensor(`${source}.bias`)));
  };
  const tokenType = tensor('embeddings.token_type_embeddings.weight');
  const positions = tensor('embeddings.position_embeddings.weight').slice(0, SHAPE.positions * SHAPE.hidden);
  blocks.set('positions', toBytes(positions.map((value, i) => value + (tokenType[i % SHAPE.hidden] ?? 0))));
  addNorm('embeddingNorm', 'embeddings.LayerNorm');
  for (let index = 0; index < SHAPE.layers; index++) {
    addNorm(`layer${index}.attentionNorm`, `encoder.layer.${index}.attention.output.LayerNorm`);
    addNorm(`layer${index}.finalNorm`, `encoder.layer.${index}.output.LayerNorm`);
  }
  walkProducts(tensor, texts, (name, { weights, bias }, inputs) => {
    const { integers, scales } = roundProduct(weights, secondMoments(inputs));
    blocks.set(`${name}.weights`, toPanels(integers, weights.rows, weights.columns));
    blocks.set(`${name}.scales`, toBytes(scales));
    blocks.set(`${name}.bias`, toBytes(bias));
    console.log(name);
  });
  blocks.set(WORDS.name, makeWords(tensor('embeddings.word_embeddings.weight')));
  return blocks;
}

/** One record for each piece of the vocabulary: float32 scale, then 384 int8. */
function makeWords(values: Float32Array): Uint8Array {
  const { integers, scales } = roundRows({ rows: SHAPE.vocabulary, columns: SHAPE.hidden, values });
  const records = new Uint8Array(WORDS.bytes);
  const view = new DataView(records.buffer);
  for (const [id, scale] of scales.entries()) {
    view.setFloat32(id * WORD_ROW_BYTES, scale, true);
    records.set(new Uint8Array(integers.buffer, id * SHAPE.hidden, SHAPE.hidden), id * WORD_ROW_BYTES + 4);
  }
  return records;
}

function makeFile(
  blocks: ReadonlyMap<string, Uint8Array>,
  source: WeightsHeader['source'],
  vector: readonly number[],
): Uint8Array {
  const toHeader = (start: number): WeightsHeader => {
    const placed = placeBlocks(start);
    const last = placed.at(-1);
    return {
      model: 'sentence-transformers/all-MiniLM-L6-v2',
      revision: `safetensors-${source.sha256.slice(0, 12)}`,
      source,
      licence: 'Apache-2.0',
      shape: SHAPE,
      fileBytes: last === undefined ? start : last.offset + last.bytes,
      blocks: placed,
      selfTest: { ids: SELF_TEST_IDS, vector },
    };
  };
  // The header's length depends on the offsets in it, and they on its length: repeat until it stands still.
  let start = 0;
  let json = Buffer.from(JSON.stringify(toHeader(start)));
  for (let next = -1; next !== start; ) {
    if (next >= 0) start = next;
    json = Buffer.from(JSON.stringify(toHeader(start)));
    next = Math.ceil((PREAMBLE_BYTES + json.byteLength) / BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT;
  }
  const header = toHeader(start);
  const file = new Uint8Array(header.fileBytes);
  file.set(Buffer.from(MAGIC, 'latin1'));
  new DataView(file.buffer).setUint32(8, LAYOUT_VERSION, true);
  new DataView(file.buffer).setUint32(12, json.byteLength, true);
  file.set(json, PREAMBLE_BYTES);
  for (const block of header.blocks) file.set(contentsOf(blocks, block), block.offset);
  return file;
}

function contentsOf(blocks: ReadonlyMap<string, Uint8Array>, shape: BlockShape): Uint8Array {
  const contents = blocks.get(shape.name);
  if (contents?.byteLength !== shape.bytes) throw new Error(`Block ${shape.name} must have ${shape.bytes} bytes.`);
  return contents;
}

/** Runs the kernel on a file without its self-test, six decimals. */
function selfTestVector(blocks: ReadonlyMap<string, Uint8Array>, source: WeightsHeader['source']): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'make-weights-'));
  const path = join(folder, 'draft.bin');
  const draft = makeFile(blocks, source, []);
  writeFileSync(path, draft);
  const descriptor = openSync(path, 'r');
  try {
    const length = new DataView(draft.buffer).getUint32(12, true);
    const json = Buffer.from(draft.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + length)).toString('utf8');
    const [vector] = createEncoder(descriptor, JSON.parse(json) as WeightsHeader, path).encode([SELF_TEST_IDS]);
    return Array.from(vector ?? [], (value) => Number(value.toFixed(6)));
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}

const [input, output = 'packages/minilm'] = process.argv.slice(2);
if (input === undefined)
  throw new Error('Say where model.safetensors and vocab.txt are: make-weights.ts <folder> [output folder]');
const safetensors = readFileSync(resolve(input, 'model.safetensors'));
const hash = sha256(safetensors);
if (hash !== SOURCE_SHA256)
  throw new Error(`model.safetensors has the sha256 ${hash}, not the published ${SOURCE_SHA256}.`);
const vocabulary = readFileSync(resolve(input, 'vocab.txt'));
const source = { file: 'model.safetensors', sha256: hash };
const tokenizer = createTokenizer(parseVocabulary(vocabulary.toString('utf8')));
const sentences = readFileSync(new URL('calibration-texts.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const texts = [...sentences.map((text) => tokenizer.encode(text, SHAPE.positions).ids), ...drawTexts(SHAPE.vocabulary)];
const blocks = makeBlocks(readSafetensors(safetensors), texts);
if (blocks.size !== ENCODER_BLOCKS.length + 1) throw new Error(`${blocks.size} blocks were made.`);
const file = makeFile(blocks, source, selfTestVector(blocks, source));
const manifest = { weightsBytes: file.byteLength, weightsSha256: sha256(file), vocabularySha256: sha256(vocabulary) };
writeFileSync(resolve(output, 'all-minilm-l6-v2.bin'), file);
writeFileSync(resolve(output, 'vocab.txt'), vocabulary);
writeFileSync(resolve(output, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(manifest);
