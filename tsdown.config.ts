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

/** One file in CommonJS, so that `vm.Script` can run it with V8's cached data; every module starts when it is first needed. */
function commonJsBundle(name: string, entry: string): UserConfig[] {
  if (!existsSync(entry)) return [];
  return [
    {
      ...common,
      entry: { [name]: entry },
      format: 'cjs',
      shims: true,
      outputOptions: { codeSplitting: false, entryFileNames: '[name].cjs' },
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
