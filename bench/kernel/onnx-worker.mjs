// An ONNX runtime in a worker thread, doing what src/embedding/worker.ts does: texts in, pooled vectors of length 1 out.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { runtime, model, tokenizers, tokenizer: tokenizerFile } = workerData;
const [{ default: namespace, ...named }, { Tokenizer }] = await Promise.all([import(runtime), import(tokenizers)]);
const ort = named.InferenceSession === undefined ? namespace : named;
if (ort.env.wasm !== undefined) ort.env.wasm.numThreads = 1;
const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' };
const session = await ort.InferenceSession.create(new Uint8Array(readFileSync(model)), options);
const tokenizer = new Tokenizer(
  { ...JSON.parse(readFileSync(tokenizerFile, 'utf8')), truncation: null, padding: null },
  {},
);

const MAX_TOKENS = 256;

function idsOf(text) {
  const { ids } = tokenizer.encode(text);
  return ids.length <= MAX_TOKENS ? ids : [...ids.slice(0, MAX_TOKENS - 1), ids.at(-1)];
}

function pool(values, length, dimension) {
  const vector = new Float32Array(dimension);
  for (let token = 0; token < length; token++) {
    for (let i = 0; i < dimension; i++) vector[i] += values[token * dimension + i];
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

async function embed(texts) {
  const lists = texts.map(idsOf);
  const width = Math.max(...lists.map((ids) => ids.length));
  const fill = (numberFor) => {
    const data = new BigInt64Array(lists.length * width);
    for (const [row, ids] of lists.entries()) {
      for (const [place, id] of ids.entries()) data[row * width + place] = BigInt(numberFor(id));
    }
    return new ort.Tensor('int64', data, [lists.length, width]);
  };
  const output = await session.run({
    input_ids: fill((id) => id),
    attention_mask: fill(() => 1),
    token_type_ids: fill(() => 0),
  });
  const { data, dims } = output.last_hidden_state;
  const size = dims[2];
  return lists.map((ids, row) => pool(data.subarray(row * width * size), ids.length, size));
}

parentPort.on('message', async ({ id, texts }) => {
  parentPort.postMessage({ id, vectors: await embed(texts) });
});
