import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from './types.ts';

const OPTIONS: Options = { strict: true, strictTypes: false, allErrors: true, validateFormats: false };

/** Problems that a validator of either draft has with the schema itself; empty when both compile it. */
export function compileProblems(schema: JsonSchema): string[] {
  const problems: string[] = [];
  for (const [draft, validator] of [
    ['draft-07', new Ajv(OPTIONS)],
    ['2020-12', new Ajv2020(OPTIONS)],
  ] as const) {
    try {
      validator.compile(schema);
    } catch (error) {
      problems.push(`${draft}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return problems;
}
