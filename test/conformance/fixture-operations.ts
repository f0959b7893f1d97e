import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { OperationCatalog } from '../../src/catalog/index.ts';
import { CairnError, defineOperation, type Operation, type RequestContext } from '../../src/kernel/index.ts';

interface Fixture {
  readonly name: string;
  readonly description: string;
  readonly text: (context: RequestContext) => Promise<string> | string;
}

/** Tools of the suite that a text can answer; the suite calls them by these names. */
const FIXTURES: readonly Fixture[] = [
  {
    name: 'test_simple_text',
    description: 'Gives a text.',
    text: () => 'This is a simple text response for testing.',
  },
  {
    name: 'test_error_handling',
    description: 'Always fails.',
    text: () => {
      throw new CairnError('not_found', 'This tool intentionally returns an error for testing');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports progress in three steps.',
    async text({ progress }) {
      for (const done of [0, 50, 100]) {
        progress?.(done, 100);
        await sleep(50);
      }
      return 'Progress is complete.';
    },
  },
];

function toOperation({ name, description, text }: Fixture): Operation {
  return defineOperation({
    name,
    title: name,
    description,
    input: z.strictObject({}),
    output: z.object({ text: z.string() }),
    effects: { network: false, localWrite: false, process: false, destructive: false, idempotent: true },
    limits: { inputBytes: 1_024, outputChars: 1_024, requests: 0 },
    async run({ context }) {
      const answer = await text(context);
      return { structured: { text: answer }, text: answer };
    },
  });
}

/** A schema as no operation of ours has one: the suite looks whether the server sends it as it was given. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that nobody awaits
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const schemaTool = toOperation({
  name: 'json_schema_2020_12_tool',
  description: 'Has a rich schema.',
  text: () => 'ok',
});

export const conformanceCatalog: OperationCatalog = {
  operations: [...FIXTURES.map(toOperation), schemaTool],
  replacements: {},
};

/** Schemas that are listed in place of the generated ones, by tool. */
export const listedSchemas: Readonly<Record<string, object>> = { [schemaTool.name]: SCHEMA_2020_12 };
