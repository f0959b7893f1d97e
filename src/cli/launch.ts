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
const SERVER = 'mcp';
const PROFILES = [SERVER, 'recall', 'remember'];
/** More than so many times what was kept. */
const WORTH_WRITING = 1.1;
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

/**
 * Keeps what has been compiled: once after a while, and at the end. `known` is the size of what was kept before; only
 * clearly more than that is worth a write. A server's first session may have listed its tools and no more.
 */
function keepCompiledCode(script: vm.Script, cache: CodeCache, known: number): void {
  const save = (): void => {
    const data = script.createCachedData();
    if (data.length > known * WORTH_WRITING) cache.write(data);
  };
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
  const isUsed = cachedData !== undefined && script.cachedDataRejected !== true;
  // Looking costs some 10 ms at the end, which a command would feel and a server does not.
  if (!isUsed || profile === SERVER) keepCompiledCode(script, cache, isUsed ? cachedData.length : 0);
  const module = { exports: {} };
  (script.runInThisContext() as Wrapper)(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports as Bundle;
}

const argv = process.argv.slice(2);
await loadBundle(join(dirname(fileURLToPath(import.meta.url)), 'main.cjs'), argv).main(argv);
