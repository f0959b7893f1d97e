/** The server core with the fixtures of the conformance suite in place of the product's operations: `--http` as in `cairn mcp`. */
import '../../src/mcp/stdout-guard.ts';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { runServerProcess } from '../../src/cli/server-process.ts';
import { conformanceCatalog, listedSchemas } from './fixture-operations.ts';
import { conformanceResources } from './fixture-resources.ts';

await runServerProcess(process.argv.slice(2), process.env, {
  instructions: 'Fixtures of the conformance suite.',
  async list() {
    const generated = generateCatalog(conformanceCatalog.operations);
    const tools = generated.tools.map((tool) => ({
      ...tool,
      inputSchema: { ...(listedSchemas[tool.name] ?? tool.inputSchema) },
    }));
    return { ...generated, tools };
  },
  load: async () => ({
    catalog: conformanceCatalog,
    deps: {},
    resources: conformanceResources,
    close: async () => undefined,
  }),
  asksForToken: false,
});
