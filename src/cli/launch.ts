#!/usr/bin/env node
/**
 * The `cairn` command: runs the bundle beside it with the code that an earlier run compiled. Compiling the bundle
 * anew costs more than half of a start.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { type CodeCache, openCodeCache } from './code-cache.ts';
import { userCacheFolder } from './user-folders.ts';

/** Commands whose start is worth a cache of their own. */
const PROFILES = ['mcp', 'recall', 'remember'];
/** A long-running process keeps what it has compiled so far after this time, in milliseconds. */
const WRITE_AFTER_MS = 3_000;

/** Makes `import()` in the bundle work as in any module; Node.js before 20.12 has no constant for that. */
const LOADER = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER ?? ((specifier: string) => import(specifier));

interface Bundle {
  main(argv: readonly string[]): Promise<void>;
}

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

function keepCompiledCode(script: vm.Script, cache: CodeCache): void {
  const save = () => cache.write(script.createCachedData());
  setTimeout(save, WRITE_AFTER_MS).unref();
  process.once('exit', save);
}

function loadBundle(path: string, argv: readonly string[]): Bundle {
  const bytes = readFileSync(path);
  const profile = PROFILES.find((command) => command === argv[0]) ?? 'other';
  const cache = openCodeCache(join(userCacheFolder(process.env), 'v8'), bytes, profile);
  const cachedData = cache.read();
  // The build leaves nothing but ASCII in it
  const source = bytes.toString('latin1');
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
    importModuleDynamically: LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) keepCompiledCode(script, cache);
  const module = { exports: {} };
  (script.runInThisContext() as Wrapper)(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports as Bundle;
}

const argv = process.argv.slice(2);
await loadBundle(join(dirname(fileURLToPath(import.meta.url)), 'main.cjs'), argv).main(argv);
