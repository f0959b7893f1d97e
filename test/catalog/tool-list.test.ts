import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toAnnotations } from '../../src/catalog/annotations.ts';
import { generateCatalog } from '../../src/catalog/generate.ts';
import { withDottedNames } from '../../src/catalog/index.ts';
import { toInputSchema, toOutputSchema } from '../../src/catalog/plain-schema.ts';
import { referencePage } from '../../src/catalog/reference.ts';
import { catalogFingerprint, toolList } from '../../src/catalog/tool-list.ts';
import { fixtureCatalog } from '../mcp/support/fixture-operations.ts';

const { operations } = fixtureCatalog;

describe('the list of tools', () => {
  it('shows each record in catalog order with schemas, all four hints and the load hint', () => {
    const tools = toolList(operations);
    expect(tools.map((tool) => tool.name)).toEqual(operations.map((operation) => operation.name));
    expect(tools[0]).toEqual({
      name: 'fixture_echo',
      title: 'Echo',
      description: 'Gives the text back.',
      inputSchema: {
        type: 'object',
        properties: {
          text: { description: 'What to give back.', type: 'string', minLength: 1, maxLength: 200 },
          times: { description: 'How often.', default: 1, type: 'integer', minimum: 1, maximum: 5 },
          style: { type: 'string', enum: ['plain', 'loud'] },
        },
        required: ['text'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { success: { type: 'boolean' }, text: { type: 'string' }, error: { type: 'object' } },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { 'anthropic/alwaysLoad': true },
    });
    expect(tools.filter((tool) => tool._meta !== undefined)).toHaveLength(1);
  });

  it('is the same bytes twice, and its fingerprint changes with any change of a tool', () => {
    const first = toolList(operations);
    expect(JSON.stringify(toolList(operations))).toBe(JSON.stringify(first));
    expect(catalogFingerprint(toolList(operations))).toBe(catalogFingerprint(first));
    const changed = first.map((tool, index) => (index === 3 ? { ...tool, description: `${tool.description} ` } : tool));
    expect(catalogFingerprint(changed)).not.toBe(catalogFingerprint(first));
    expect(catalogFingerprint([...first].reverse())).not.toBe(catalogFingerprint(first));
  });

  it('lists dotted names only on request, from the generated list as from the records', () => {
    expect(toolList(operations, 'dotted')[0]?.name).toBe('fixture.echo');
    expect(withDottedNames(generateCatalog(operations))).toEqual(toolList(operations, 'dotted'));
    expect(toolList(operations, 'dotted')[1]?.name).toBe('fixture_context');
  });

  it.each([
    ['reads', {}, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    [
      'writes',
      { localWrite: true },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'removes',
      { localWrite: true, destructive: true },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    ],
    [
      'reads the network',
      { network: true, idempotent: false },
      { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    ],
    [
      'asks a program',
      { process: true },
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ])('derives the hints of an operation that %s', (_what, effects, hints) => {
    const none = { network: false, localWrite: false, process: false, destructive: false, idempotent: true };
    expect(toAnnotations({ ...none, ...effects })).toEqual(hints);
  });
});

describe('plain schemas', () => {
  const schema = z.object({
    when: z.iso.datetime().optional(),
    count: z.int().optional(),
    free: z.record(z.string(), z.unknown()).optional(),
    loose: z.looseObject({}).optional(),
    maximum: z.string().optional(),
    code: z
      .string()
      .regex(/^[a-z]+$/)
      .optional(),
  });

  it('drop what says nothing and keep what bounds, also for a member that is named like a keyword', () => {
    expect(toInputSchema(schema)).toEqual({
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time' },
        count: { type: 'integer' },
        free: { type: 'object' },
        loose: { type: 'object', properties: {} },
        maximum: { type: 'string' },
        code: { type: 'string', pattern: '^[a-z]+$' },
      },
      additionalProperties: false,
    });
  });

  it('have a root with properties even for an operation without arguments', () => {
    expect(toInputSchema(z.object({}))).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  it('let an error stand in for every output, and keep an error member that the operation has', () => {
    expect(toOutputSchema(z.object({ found: z.int() }))['required']).toBeUndefined();
    const own = toOutputSchema(z.object({ error: z.string() }))['properties'];
    expect(own).toEqual({ error: { type: 'string' } });
  });
});

describe('the reference page', () => {
  it('has a section for each operation with its arguments, bounds, effects and other name', () => {
    const page = referencePage(operations);
    for (const { name } of operations) expect(page).toContain(`## ${name}\n`);
    expect(page).toContain('| `text` (required) | string | ≥ 1 chars, ≤ 200 chars | What to give back. |');
    expect(page).toContain('| `times` | integer | ≥ 1, ≤ 5, default 1 | How often. |');
    expect(page).toContain('| `style` | `plain`, `loud` |  |  |');
    expect(page).toContain('Also answers to `fixture.echo`.');
    expect(page).toContain('Effects: writes; no network; starts no program.');
  });
});
