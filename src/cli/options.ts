import { CairnError } from '../kernel/index.ts';

type Options = Readonly<Record<string, unknown>>;

/** A text option, `undefined` where it was not given. */
export function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function flag(options: Options, name: string): boolean {
  return options[name] === true;
}

export function list(options: Options, name: string): readonly string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** A whole number within bounds; throws `invalid_input` that names the option and its bounds. */
export function wholeNumber(options: Options, name: string, min: number, max: number): number {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new CairnError(
      'invalid_input',
      `--${name} must be a whole number from ${min} to ${max}, not "${String(options[name])}".`,
      {
        field: name,
      },
    );
  }
  return value;
}

/** One of some words; throws `invalid_input` that lists them. */
export function oneOf<Value extends string>(
  options: Options,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined)
    throw new CairnError('invalid_input', `--${name} must be one of ${values.join(', ')}, not "${value}".`, {
      field: name,
    });
  return found;
}
