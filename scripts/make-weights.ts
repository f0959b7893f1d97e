/**
 * Makes the weights file of `packages/minilm` from the published full-precision weights:
 * `tsx scripts/make-weights.ts <folder with model.safetensors and vocab.txt> [output folder]`.
 * The same input gives the same bytes. The layout is that of `src/embedding/weights/layout.ts`.
 *
 * Linear layers and word rows become int8 with one symmetric scale per output row. Queries are multiplied by 1/√32
 * beforehand (the divisor of attention scores), and query, key and value are joined into one product.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createEncoder } from '../src/embedding/model/encoder.ts';
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

const SOURCE_SHA256 = '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db';
/** "This is an example sentence" */
const SELF_TEST_IDS = [101, 2023, 2003, 2019, 2742, 6251, 102];

interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** The tensors of a safetensors file (u64 header length, JSON, data); only float32 is met here. */
function readSafetensors(file: Uint8Array): (name: string) => Float32Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(Buffer.from(file.subarray(8, 8 + length)).toString('utf8')) as Record<
    string,
    { dtype: string; data_offsets: [number, number] }
  >;
  return (name) => {
    const entry = header[name];
    if (entry?.dtype !== 'F32') throw new Error(`The source has no float32 tensor ${name}.`);
    const [from, to] = entry.data_offsets;
    // Copied: a tensor may start at any byte, and a Buffer's own `slice` would share the whole file.
    return new Float32Array(Uint8Array.prototype.slice.call(file, 8 + length + from, 8 + length + to).buffer);
  };
}

/** int8 rows with the scale that puts the row's largest value at 127. */
function quantise({ rows, columns, values }: Matrix): { readonly integers: Int8Array; readonly scales: Float32Array } {
  const integers = new Int8Array(rows * columns);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const line = values.subarray(row * columns, (row + 1) * columns);
    const scale = Math.fround(line.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0) / 127);
    scales[row] = scale;
    line.forEach((value, column) => {
      integers[row * columns + column] = Math.max(-127, Math.min(127, Math.round(value / scale)));
    });
  }
  return { integers, scales };
}

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

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => {
    joined.set(part, at);
    return at + part.length;
  }, 0);
  return joined;
}

/** The contents of every block by name. */
function makeBlocks(tensor: (name: string) => Float32Array): Map<string, Uint8Array> {
  const blocks = new Map<string, Uint8Array>();
  const addProduct = (name: string, weights: Float32Array, bias: Float32Array): void => {
    const width = bias.length;
    const depth = weights.length / width;
    const { integers, scales } = quantise({ rows: width, columns: depth, values: weights });
    blocks.set(`${name}.weights`, toPanels(integers, width, depth));
    blocks.set(`${name}.scales`, toBytes(scales));
    blocks.set(`${name}.bias`, toBytes(bias));
  };
  const addNorm = (name: string, source: string): void => {
    blocks.set(`${name}.gain`, toBytes(tensor(`${source}.weight`)));
    blocks.set(`${name}.bias`, toBytes(tensor(`${source}.bias`)));
  };

  const tokenType = tensor('embeddings.token_type_embeddings.weight');
  const positions = tensor('embeddings.position_embeddings.weight').slice(0, SHAPE.positions * SHAPE.hidden);
  blocks.set('positions', toBytes(positions.map((value, i) => value + (tokenType[i % SHAPE.hidden] ?? 0))));
  addNorm('embeddingNorm', 'embeddings.LayerNorm');

  const perScore = Math.fround(1 / Math.sqrt(SHAPE.hidden / SHAPE.heads));
  for (let index = 0; index < SHAPE.layers; index++) {
    const from = `encoder.layer.${index}`;
    const part = (name: string, kind: 'weight' | 'bias'): Float32Array =>
      tensor(`${from}.attention.self.${name}.${kind}`);
    const qkv = (kind: 'weight' | 'bias'): Float32Array =>
      concatenate([part('query', kind).map((value) => value * perScore), part('key', kind), part('value', kind)]);
    addProduct(`layer${index}.qkv`, qkv('weight'), qkv('bias'));
    const addDense = (name: string, source: string): void =>
      addProduct(`layer${index}.${name}`, tensor(`${from}.${source}.weight`), tensor(`${from}.${source}.bias`));
    addDense('output', 'attention.output.dense');
    addNorm(`layer${index}.attentionNorm`, `${from}.attention.output.LayerNorm`);
    addDense('expand', 'intermediate.dense');
    addDense('contract', 'output.dense');
    addNorm(`layer${index}.finalNorm`, `${from}.output.LayerNorm`);
  }

  const values = tensor('embeddings.word_embeddings.weight');
  const { integers, scales } = quantise({ rows: SHAPE.vocabulary, columns: SHAPE.hidden, values });
  const records = new Uint8Array(WORDS.bytes);
  const view = new DataView(records.buffer);
  scales.forEach((scale, id) => {
    view.setFloat32(id * WORD_ROW_BYTES, scale, true);
    const row = integers.subarray(id * SHAPE.hidden, (id + 1) * SHAPE.hidden);
    records.set(new Uint8Array(row.buffer, row.byteOffset, row.byteLength), id * WORD_ROW_BYTES + 4);
  });
  blocks.set(WORDS.name, records);
  return blocks;
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
const blocks = makeBlocks(readSafetensors(safetensors));
if (blocks.size !== ENCODER_BLOCKS.length + 1) throw new Error(`${blocks.size} blocks were made.`);
const file = makeFile(blocks, source, selfTestVector(blocks, source));
const manifest = { weightsBytes: file.byteLength, weightsSha256: sha256(file), vocabularySha256: sha256(vocabulary) };
writeFileSync(resolve(output, 'all-minilm-l6-v2.bin'), file);
writeFileSync(resolve(output, 'vocab.txt'), vocabulary);
writeFileSync(resolve(output, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(manifest);
