import { existsSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';

/** Not bundled: the native driver and the weights find their own files beside their own code. */
const EXTERNAL = ['@photostructure/sqlite', 'cairn-minilm'];

const common: UserConfig = {
  platform: 'node',
  target: 'node20',
  outDir: 'dist',
  clean: false,
  dts: false,
  sourcemap: false,
  report: false,
  deps: {
    onlyBundle: false,
    neverBundle: EXTERNAL,
    alwaysBundle: (id: string) => !EXTERNAL.includes(id) && !id.startsWith('node:'),
  },
};

/** A character outside of ASCII, with the backslashes in front of it. */
const FOREIGN = /(\\*)([^\x00-\x7f])/g;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The same program in ASCII: V8 then keeps its source in one byte a character and need not decode it, which is a good
 * part of a start. A raw template would change its meaning, so there must be none with such a character.
 */
function toAscii(code: string): string {
  const raw = /String\.raw`[^`]*[^\x00-\x7f`][^`]*`/.exec(code);
  if (raw !== null) throw new Error(`A raw template holds a character outside of ASCII: ${raw[0]}`);
  return code.replace(FOREIGN, (_, slashes: string, character: string) => {
    const isEscaped = slashes.length % 2 === 1;
    return (isEscaped ? slashes.slice(1) : slashes) + toEscape(character);
  });
}

/** One file in CommonJS, so that `vm.Script` can run it with V8's cached data; every module starts when it is first needed. */
function commonJsBundle(name: string, entry: string): UserConfig[] {
  if (!existsSync(entry)) return [];
  return [
    {
      ...common,
      entry: { [name]: entry },
      format: 'cjs',
      shims: true,
      outputOptions: {
        codeSplitting: false,
        entryFileNames: '[name].cjs',
        comments: { legal: true, annotation: false, jsdoc: false },
      },
      plugins: [
        {
          name: 'ascii',
          // Last of all: an earlier hook's escapes are printed as characters again
          generateBundle(_options, bundle) {
            for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = toAscii(file.code);
          },
        },
      ],
    },
  ];
}

const library: UserConfig[] = existsSync('src/protocol/index.ts')
  ? [
      {
        ...common,
        entry: { index: 'src/protocol/index.ts' },
        format: 'esm',
        dts: true,
        outputOptions: { entryFileNames: '[name].js' },
      },
    ]
  : [];

export default defineConfig([
  { ...common, entry: { cli: 'src/cli/launch.ts' }, format: 'esm', outputOptions: { entryFileNames: '[name].js' } },
  ...commonJsBundle('main', 'src/cli/bin.ts'),
  ...commonJsBundle('embedding-worker', 'src/embedding/worker.ts'),
  ...commonJsBundle('storage-worker', 'src/storage/worker.ts'),
  ...library,
]);
