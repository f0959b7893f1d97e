import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { generateCatalog } from '../../src/catalog/generate.ts';
import {
  budgetReport,
  checkTools,
  type ListedTool,
  LONGEST_PREFIX,
  loadCatalog,
  loadGenerated,
  PREFIXED_NAME,
} from '../../src/catalog/index.ts';
import { lintTools } from '../../src/catalog/lint.ts';
import { compileProblems } from '../../src/catalog/schema-compile.ts';
import { catalogFingerprint, toolList } from '../../src/catalog/tool-list.ts';
import { defineOperation } from '../../src/kernel/index.ts';
import { INSTRUCTIONS } from '../../src/mcp/index.ts';
import { fixtureCatalog } from '../mcp/support/fixture-operations.ts';

const OPTIONS = { instructions: INSTRUCTIONS, compileProblems };
const GOOD = toolList(fixtureCatalog.operations)[0] as ListedTool;

function plant(change: Partial<ListedTool>): string[] {
  const bad = { ...GOOD, name: 'planted_tool', ...change };
  return lintTools([GOOD, bad], OPTIONS).map(({ tool, problem }) => `${tool}: ${problem}`);
}

function withInput(properties: object): Partial<ListedTool> {
  return { inputSchema: { type: 'object', properties, additionalProperties: false } };
}

describe('H7 the catalog check', () => {
  it('passes the product and the fixtures', async () => {
    const { tools } = await loadGenerated();
    expect(await checkTools(tools, INSTRUCTIONS)).toEqual([]);
    expect(lintTools(toolList(fixtureCatalog.operations), OPTIONS)).toEqual([]);
  });

  it('keeps every name within 64 characters under the longest prefix of a host', async () => {
    const { tools } = await loadGenerated();
    for (const tool of tools) expect(LONGEST_PREFIX + tool.name).toMatch(PREFIXED_NAME);
    expect(LONGEST_PREFIX).toHaveLength(25);
  });

  it.each<[string, Partial<ListedTool>, RegExp]>([
    ['a dotted name', { name: 'planted.tool' }, /^planted\.tool: the name is not/],
    ['a name of 40 characters', { name: 'a'.repeat(40) }, /^a{40}: the name is not/],
    ['an open root', { inputSchema: { type: 'object', properties: {} } }, /^planted_tool: input: the root is open/],
    [
      'a root without properties',
      { inputSchema: { type: 'object', additionalProperties: false } },
      /the root has no properties/,
    ],
    ['a root that is no object', { outputSchema: { type: 'array', items: {} } }, /output: the root is not an object/],
    [
      'a union in the input',
      withInput({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
      /input\/properties\/a: anyOf/,
    ],
    [
      'a union at the root of the output',
      { outputSchema: { type: 'object', properties: {}, oneOf: [] } },
      /output: oneOf/,
    ],
    ['a list of types', withInput({ a: { type: ['string', 'null'] } }), /input\/properties\/a: type is a list/],
    ['a boolean schema', withInput({ a: true }), /input\/properties\/a: a boolean schema/],
    ['an array without items', withInput({ a: { type: 'array' } }), /input\/properties\/a: an array without/],
    [
      'a tuple',
      withInput({ a: { type: 'array', prefixItems: [{ type: 'string' }], items: {} } }),
      /prefixItems is not portable/,
    ],
    ['a reference', withInput({ a: { $ref: '#/properties/a' } }), /\$ref is not portable/],
    ['a look-behind', withInput({ a: { type: 'string', pattern: '(?<=a)b' } }), /the pattern is not plain/],
    ['a broken pattern', withInput({ a: { type: 'string', pattern: '(' } }), /the pattern is not plain/],
    ['an unknown keyword', withInput({ a: { type: 'string', colour: 'red' } }), /input: draft-07: .*unknown keyword/],
    [
      'a fault deep inside',
      withInput({ a: { type: 'array', items: { type: 'object', properties: { b: { type: 'array' } } } } }),
      /\/a\/items\/properties\/b: an array/,
    ],
    [
      'a missing hint',
      { annotations: { ...GOOD.annotations, openWorldHint: undefined as never } },
      /openWorldHint is not set/,
    ],
    ['a contradiction', { annotations: { ...GOOD.annotations, destructiveHint: true } }, /read-only and destructive/],
    ['a long description', { description: 'x'.repeat(2_048) }, /^planted_tool: \d+ bytes of at most 2048/],
    ['a name twice', { name: GOOD.name }, /^fixture_echo: the name is listed twice/],
  ])('finds %s by the name of the tool', (_what, change, expected) => {
    expect(plant(change)).toContainEqual(expect.stringMatching(expected));
  });

  it('allows unions below the root of an output', () => {
    const outputSchema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } };
    expect(plant({ outputSchema })).toEqual([]);
  });

  it('finds instructions and lists over their budgets', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...GOOD,
      name: `t${index}`,
      description: 'x'.repeat(1_500),
    }));
    const findings = lintTools(many, { ...OPTIONS, instructions: 'x'.repeat(2_049) }).map(({ tool }) => tool);
    expect(findings).toEqual(['visible', 'instructions']);
  });

  it('counts the bytes of what a model reads', () => {
    const report = budgetReport([GOOD], 'ü');
    const { name, description, inputSchema } = GOOD;
    expect(report[0]?.bytes).toBe(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })));
    expect(report.at(-1)).toEqual({ what: 'instructions', bytes: 2, limit: 2_048, over: false });
  });

  it('sees a nullable field of a record', () => {
    const operation = defineOperation({
      name: 'nullable',
      title: 'Nullable',
      description: 'Has a field that may be null.',
      input: z.object({ a: z.string().nullable() }),
      output: z.object({}),
      effects: { network: false, localWrite: false, process: false, destructive: false, idempotent: true },
      limits: { inputBytes: 10, outputChars: 10, requests: 0 },
      run: async () => ({ structured: {} }),
    });
    const problems = lintTools(toolList([operation]), OPTIONS).map(({ problem }) => problem);
    expect(problems).toContain('input/properties/a: type is a list');
  });
});

describe('the generated list', () => {
  it('is what the records give', async () => {
    const { operations } = await loadCatalog();
    const generated = await loadGenerated();
    expect(generated).toEqual(generateCatalog(operations));
    expect(generated.fingerprint).toBe(catalogFingerprint(generated.tools));
  });

  it('is within 40,000 bytes', async () => {
    const { tools } = await loadGenerated();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(40_000);
  });

  it('takes the examples of its own defaults', async () => {
    const { tools } = await loadGenerated();
    const ajv = new Ajv({ useDefaults: true, validateFormats: false });
    for (const tool of tools) {
      const validate = ajv.compile({ ...tool.inputSchema, required: [] });
      expect([tool.name, validate({}), validate.errors]).toEqual([tool.name, true, null]);
    }
  });
});
