/** A server in which something prints and fails: while it loads, out of turn, or in a promise nobody waits for. */
import '../../../src/mcp/stdout-guard.ts';
import { generateCatalog } from '../../../src/catalog/generate.ts';
import { runServerProcess } from '../../../src/cli/server-process.ts';
import { fixtureCatalog } from './fixture-operations.ts';

const mode = process.argv[2];
console.log('planted at the start');

await runServerProcess([], process.env, {
  instructions: '',
  list: async () => generateCatalog(fixtureCatalog.operations),
  async load() {
    console.log('planted while loading');
    if (mode === 'load') throw new Error('planted fault');
    if (mode === 'crash')
      setTimeout(() => {
        throw new Error('planted crash');
      }, 1);
    if (mode === 'reject') void Promise.reject(new Error('planted rejection'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { catalog: fixtureCatalog, deps: {}, close: async () => undefined };
  },
  asksForToken: true,
});
