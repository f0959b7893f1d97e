import { z } from 'zod';
import type { JsonSchema } from './types.ts';

/** Keys that say nothing to a reader and cost bytes, or that draft-07 and 2020-12 read differently. */
function isNoise(key: string, value: unknown, schema: Record<string, unknown>): boolean {
  if (key === '$schema') return true;
  // zod's safe-integer bounds
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER;
  if (key === 'maximum') return value === Number.MAX_SAFE_INTEGER;
  // The format says it; zod's pattern for a date is 300 characters long
  if (key === 'pattern') return typeof schema['format'] === 'string';
  if (key === 'propertyNames') return JSON.stringify(value) === '{"type":"string"}';
  // Free members, as without the key
  if (key === 'additionalProperties') return JSON.stringify(value) === '{}';
  return false;
}

function withoutNoise(value: unknown, insideProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNoise(item));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Record<string, unknown>;
  const plain: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) {
    if (!insideProperties && isNoise(key, member, schema)) continue;
    plain[key] = withoutNoise(member, !insideProperties && key === 'properties');
  }
  return plain;
}

/** Root first in a fixed order, so that the bytes do not depend on the library. */
function asRootObject(plain: Record<string, unknown>): JsonSchema {
  const { type: _type, properties, required, additionalProperties: _free, ...rest } = plain;
  return {
    type: 'object',
    properties: properties ?? {},
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...rest,
    additionalProperties: false,
  };
}

function toPlain(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  return withoutNoise(z.toJSONSchema(schema, { target: 'draft-7', io, reused: 'inline' })) as Record<string, unknown>;
}

/** An input schema as hosts take it: closed root, no `$ref`; what the rules of `schema-rules.ts` forbid is left for them to find. */
export function toInputSchema(schema: z.ZodObject): JsonSchema {
  return asRootObject(toPlain(schema, 'input'));
}

/**
 * An output schema that also holds for a failed call: `error` is a property and nothing is required at the root, since
 * some clients check the structure of failed calls against it as well.
 */
export function toOutputSchema(schema: z.ZodObject): JsonSchema {
  const { required: _required, ...root } = asRootObject(toPlain(schema, 'output'));
  const properties = root['properties'] as Record<string, unknown>;
  return { ...root, properties: { ...properties, error: properties['error'] ?? { type: 'object' } } };
}
