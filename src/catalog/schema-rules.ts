import type { JsonSchema } from './types.ts';

/** One broken rule: where in the schema, as a JSON pointer, and what is wrong. */
export interface SchemaFault {
  readonly pointer: string;
  readonly problem: string;
}

const COMBINERS = ['anyOf', 'oneOf', 'allOf', 'not', 'if'];
/** Read differently by draft-07 and 2020-12, or by some hosts not at all. */
const UNPORTABLE = [
  '$ref',
  '$defs',
  'definitions',
  '$dynamicRef',
  'prefixItems',
  'additionalItems',
  'dependencies',
  'unevaluatedProperties',
];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlainPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || /\(\?<|\\[pPkA]/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    // The one thing the constructor throws is what is asked for here
    return false;
  }
}

function nodeFaults(node: Record<string, unknown>, pointer: string, unions: boolean): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const fault = (problem: string) => faults.push({ pointer, problem });
  for (const key of COMBINERS) if (key in node && !unions) fault(`${key} is not allowed here`);
  for (const key of UNPORTABLE) if (key in node) fault(`${key} is not portable`);
  if (Array.isArray(node['type'])) fault('type is a list');
  if (node['type'] === 'array' && !isRecord(node['items'])) fault('an array without one schema for its items');
  if ('pattern' in node && !isPlainPattern(node['pattern'])) fault('the pattern is not plain ECMAScript');
  return faults;
}

function children(node: Record<string, unknown>, pointer: string): [string, unknown][] {
  const found: [string, unknown][] = [];
  if (isRecord(node['properties'])) {
    for (const [name, member] of Object.entries(node['properties']))
      found.push([`${pointer}/properties/${name}`, member]);
  }
  for (const key of ['items', 'not']) if (key in node) found.push([`${pointer}/${key}`, node[key]]);
  // `additionalProperties: false` closes an object and is no schema of its own
  if (typeof node['additionalProperties'] !== 'boolean' && 'additionalProperties' in node) {
    found.push([`${pointer}/additionalProperties`, node['additionalProperties']]);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = node[key];
    if (!Array.isArray(branches)) continue;
    for (const [index, branch] of branches.entries()) found.push([`${pointer}/${key}/${index}`, branch]);
  }
  return found;
}

function walk(value: unknown, pointer: string, unions: boolean): SchemaFault[] {
  if (!isRecord(value)) return [{ pointer, problem: 'a boolean schema' }];
  const below = children(value, pointer).flatMap(([where, child]) => walk(child, where, unions));
  return [...nodeFaults(value, pointer, unions), ...below];
}

/** What makes a schema unfit for some host. Inputs are flat objects without unions at any depth; outputs may use them below the root. */
export function schemaFaults(schema: JsonSchema, io: 'input' | 'output'): SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (schema['type'] !== 'object') faults.push({ pointer: '', problem: 'the root is not an object' });
  if (!isRecord(schema['properties'])) faults.push({ pointer: '', problem: 'the root has no properties' });
  if (io === 'input' && schema['additionalProperties'] !== false) {
    faults.push({ pointer: '', problem: 'the root is open for unknown members' });
  }
  const root = nodeFaults(schema, '', false);
  const below = children(schema, '').flatMap(([where, child]) => walk(child, where, io === 'output'));
  return [...faults, ...root, ...below];
}
