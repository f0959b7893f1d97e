import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('manifest.json', import.meta.url), 'utf8'));

export const location = Object.freeze({
  weights: at('all-minilm-l6-v2.bin'),
  vocabulary: at('vocab.txt'),
  weightsSha256: manifest.weightsSha256,
  vocabularySha256: manifest.vocabularySha256,
});
