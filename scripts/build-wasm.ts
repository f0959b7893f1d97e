/**
 * Builds the WebAssembly kernels from `src/embedding/assembly/` into `src/embedding/generated/`: one `.wasm` file each,
 * and one module with both as base64, because a bundled server has no folder of its own to read them from.
 * `--check` builds in memory, compares byte for byte and fails on any difference.
 */
import { readFile, writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

const KERNELS = ['minilm', 'scan'];
const MAX_BYTES = 10_240;
const SOURCES = new URL('../src/embedding/assembly/', import.meta.url);
const OUTPUT = new URL('../src/embedding/generated/', import.meta.url);

/** A source by its name in the folder; `null` where the compiler only tries whether there is one. */
async function readSource(name: string): Promise<string | null> {
  try {
    return await readFile(new URL(name, SOURCES), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function compile(kernel: string): Promise<Uint8Array> {
  const file = `${kernel}.ts`;
  let binary: Uint8Array | undefined;
  const flags = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--importMemory', '--noExportMemory', '--noAssert'];
  const { error, stderr } = await asc.main([file, ...flags, '--outFile', 'out.wasm'], {
    readFile: readSource,
    writeFile: (name, contents) => {
      if (name === 'out.wasm' && typeof contents !== 'string') binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) throw new Error(`${file} does not compile:\n${stderr.toString()}`);
  if (binary.byteLength > MAX_BYTES)
    throw new Error(`${kernel}.wasm has ${binary.byteLength} bytes; the limit is ${MAX_BYTES}.`);
  return binary;
}

/** The text of `kernels.ts`, one exported constant for each kernel. */
function toModule(binaries: readonly (readonly [string, Uint8Array])[]): string {
  const lines = ['// Made by `npm run build:wasm` from ../assembly/; do not edit.'];
  for (const [kernel, binary] of binaries) {
    lines.push('', `/** \`${kernel}.wasm\`, base64. */`);
    lines.push(`export const ${kernel.toUpperCase()}_WASM =\n  '${Buffer.from(binary).toString('base64')}';`);
  }
  return `${lines.join('\n')}\n`;
}

const binaries: [string, Uint8Array][] = [];
for (const kernel of KERNELS) binaries.push([kernel, await compile(kernel)]);
const files: [string, Uint8Array][] = binaries.map(([kernel, binary]) => [`${kernel}.wasm`, binary]);
files.push(['kernels.ts', Buffer.from(toModule(binaries))]);

for (const [name, bytes] of files) {
  const url = new URL(name, OUTPUT);
  if (!process.argv.includes('--check')) {
    await writeFile(url, bytes);
    console.log(`${name}: ${bytes.byteLength} bytes`);
  } else if (Buffer.compare(await readFile(url), bytes) !== 0) {
    console.error(`${name} differs from a fresh build; run \`npm run build:wasm\`.`);
    process.exitCode = 1;
  }
}
