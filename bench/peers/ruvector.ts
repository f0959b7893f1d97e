import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryServer, RecallAnswer } from '../memory-servers/memory-server.ts';
import { CACHE, externalData, temporaryFolder } from '../support/folders.ts';
import { minilmAsOnnx } from './minilm-onnx.ts';

export const RUVECTOR_VERSION = '0.2.34';

const MODEL = 'all-MiniLM-L6-v2';
const MODEL_DIMENSION = 384;
const HASH_DIMENSION = 256;

/** Installs ruvector into the cache, once; gives the folder that holds its `node_modules`. */
export function installRuvector(log: (line: string) => void): string {
  const folder = join(CACHE, `ruvector-${RUVECTOR_VERSION}`);
  if (existsSync(join(folder, 'node_modules/ruvector/package.json'))) return folder;
  log(`installing ruvector@${RUVECTOR_VERSION}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const options = ['--no-audit', '--no-fund', '--save-exact'];
  execFileSync('npm', ['install', ...options, `ruvector@${RUVECTOR_VERSION}`], { cwd: folder, stdio: 'pipe' });
  return folder;
}

/**
 * A home folder with the real model where ruvector looks for it, so that nothing is downloaded and no hash stands in.
 * The model is the original in full precision: its runtime refuses the shape annotations of the widespread
 * dynamic-int8 export, and needs seconds for each text once they are taken out. `undefined` where the weights are
 * not at hand.
 */
function homeWithModel(log: (line: string) => void): string | undefined {
  const weights = externalData(`models/${MODEL}/model.safetensors`);
  const tokenizer = externalData(`models/${MODEL}/tokenizer.json`);
  if (weights === undefined || tokenizer === undefined) return undefined;
  const home = temporaryFolder();
  const folder = join(home, '.ruvector/models', MODEL);
  mkdirSync(folder, { recursive: true });
  log('writing the model as ONNX for ruvector');
  writeFileSync(join(folder, 'model.onnx'), minilmAsOnnx(weights));
  copyFileSync(tokenizer, join(folder, 'tokenizer.json'));
  return home;
}

interface IntelligenceFile {
  readonly memories: readonly { readonly content: string }[];
}

/** ruvector with the real model, or with the hash vectors that it falls back to without one. */
export function ruvectorServer(
  vectors: 'model' | 'hash',
  log: (line: string) => void,
): MemoryServer | { readonly skipped: string } {
  const home = vectors === 'model' ? homeWithModel(log) : temporaryFolder();
  if (home === undefined) return { skipped: `ruvector with its model: models/${MODEL} is not at hand` };
  const program = join(installRuvector(log), 'node_modules/ruvector/bin/cli.js');
  const store = (folder: string): string => join(folder, '.ruvector/intelligence.json');
  const semantic = vectors === 'model' ? ['--semantic'] : [];
  const dimension = vectors === 'model' ? MODEL_DIMENSION : HASH_DIMENSION;
  return {
    label: `ruvector ${RUVECTOR_VERSION}${vectors === 'hash' ? ', hash vectors' : ''}`,
    serverArguments: [program, 'mcp', 'start'],
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      RUVECTOR_EMBEDDER: vectors === 'model' ? 'minilm' : 'hash',
    },
    rememberCommand: (content, type) => [program, 'hooks', 'remember', '--type', type, ...semantic, content],
    recallCommand: (query) => [program, 'hooks', 'recall', ...semantic, query],
    readFirstFinding: (output) => {
      // Its model loader writes a line of its own in front of the JSON.
      const { results } = JSON.parse(output.slice(output.indexOf('{'))) as RecallAnswer;
      return results[0]?.content;
    },
    async prepareProject(folder) {
      mkdirSync(join(folder, '.ruvector'));
    },
    async seed(folder, notes) {
      // Its own file format, with an id for each note: without ids it keeps one note per millisecond.
      const created = new Date(Date.UTC(2026, 0, 1)).toISOString();
      const memories = Array.from(notes, ({ content, type, vector }, index) => ({
        id: `mem-seeded-${index}`,
        content,
        type,
        created,
        embedding: Array.from(vector.subarray(0, dimension)),
      }));
      const embeddingProvenance = {
        embedderKind: vectors === 'model' ? 'onnx-minilm' : 'hash',
        modelId: vectors === 'model' ? MODEL : null,
        dimension,
        normalize: true,
        prefixPolicy: 'none',
      };
      const rest = { patterns: {}, trajectories: [], errors: {}, agents: {}, edges: [] };
      writeFileSync(store(folder), JSON.stringify({ ...rest, memories, embeddingProvenance }, null, 2));
    },
    storeFiles: (folder) => [store(folder)],
    async readStored(folder, contents) {
      const { memories } = JSON.parse(readFileSync(store(folder), 'utf8')) as IntelligenceFile;
      const present = new Set(memories.map(({ content }) => content));
      return new Set(contents.filter((content) => present.has(content)));
    },
  };
}
