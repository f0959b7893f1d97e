/** `cairn mcp` with the fixture operations: the same process, the same arguments. The folder comes from `FIXTURE_FOLDER`. */
import '../../../src/mcp/stdout-guard.ts';
import { generateCatalog } from '../../../src/catalog/generate.ts';
import { runServerProcess } from '../../../src/cli/server-process.ts';
import { createFixtureDeps, fixtureCatalog } from './fixture-operations.ts';
import { fixtureResources } from './fixture-resources.ts';

await runServerProcess(process.argv.slice(2), process.env, {
  instructions: 'Fixture operations.',
  list: async () => generateCatalog(fixtureCatalog.operations),
  async load() {
    const deps = createFixtureDeps(process.env['FIXTURE_FOLDER'] ?? process.cwd());
    return { catalog: fixtureCatalog, deps, resources: fixtureResources, close: async () => deps.close() };
  },
  asksForToken: process.env['FIXTURE_NO_TOKEN'] === undefined,
});
