import { PosencError, show, type PosencErrorCode } from './error.js';
import { suggest } from './suggest.js';

/** The error for an argument that is missing or not what is needed. */
export function wrong(
  code: PosencErrorCode,
  argument: string,
  value: unknown,
  allowed: string,
): PosencError {
  const received = show(value);
  const problem = value === undefined ? 'missing' : received;
  return new PosencError(code, `${argument} is ${problem}, needs ${allowed}`, {
    argument,
    received,
    allowed,
  });
}

/** `"a", "b" or "c"` */
export function list(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

/** The error for a name outside `names`, with the nearest right spelling. */
export function unknownName(
  argument: string,
  value: unknown,
  names: readonly string[],
): PosencError {
  const nearest = suggest(value, names);
  const allowed = list(names);
  const hint = nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`;
  return new PosencError(
    typeof value === 'string' ? 'option' : 'argument',
    `${argument} is ${value === undefined ? 'missing' : show(value)}, needs ${allowed}${hint}`,
    { argument, received: show(value), allowed },
  );
}

/**
 * Checks that `value` is an object of options without unknown keys; `undefined` reads as no options.
 * `owner` says whose options they are: `attention`, `rope`.
 */
export function checkOptions<T extends object>(
  value: T | undefined,
  keys: readonly string[],
  owner: string,
  argument = 'options',
): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('argument', argument, value, `an object with the options of ${owner}`);
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) throw unknownOption(key, keys, owner);
  }
  return value;
}

function unknownOption(key: string, keys: readonly string[], owner: string): PosencError {
  const nearest = suggest(key, keys);
  const allowed = keys.length === 0 ? 'no options' : keys.join(', ');
  const hint = nearest === undefined ? `it takes ${allowed}` : `did you mean ${nearest}?`;
  return new PosencError('option', `${show(key)} is not an option of ${owner}: ${hint}`, {
    argument: key.slice(0, 60),
    received: show(key),
    allowed,
  });
}

/** Checks an integer from `low` to `high`. */
export function integer(value: unknown, argument: string, low: number, high: number): number {
  const allowed = `an integer from ${low} to ${high}`;
  if (typeof value !== 'number') throw wrong('argument', argument, value, allowed);
  if (!Number.isInteger(value) || value < low || value > high) {
    throw wrong('range', argument, value, allowed);
  }
  return value;
}

/** Checks a number that is finite as a float32. */
export function finite(value: unknown, argument: string): number {
  const allowed = 'a finite number';
  if (typeof value !== 'number') throw wrong('argument', argument, value, allowed);
  if (!Number.isFinite(Math.fround(value))) throw wrong('range', argument, value, allowed);
  return value;
}

/** Checks a number that is that lies between two others, or is one of them. */
export function between(value: unknown, argument: string, low: number, high: number): number {
  const allowed = `a number from ${low} to ${high}`;
  if (typeof value !== 'number') throw wrong('argument', argument, value, allowed);
  if (!(value >= low && value <= high)) throw wrong('range', argument, value, allowed);
  return value;
}

/** Checks a number that is finite and above zero as a float32. */
export function positive(value: unknown, argument: string): number {
  const allowed = 'a finite number above 0';
  if (typeof value !== 'number') throw wrong('argument', argument, value, allowed);
  const rounded = Math.fround(value);
  if (!(rounded > 0 && rounded < Infinity)) throw wrong('range', argument, value, allowed);
  return value;
}

/** Checks a boolean; `undefined` reads as false. */
export function flag(value: unknown, argument: string): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw wrong('argument', argument, value, 'true or false');
  return value;
}

/** Checks one of `names`; `undefined` reads as the first. */
export function choice<Name extends string>(
  value: unknown,
  argument: string,
  names: readonly [Name, ...Name[]],
): Name {
  if (value === undefined) return names[0];
  if (!(names as readonly unknown[]).includes(value)) throw unknownName(argument, value, names);
  return value as Name;
}

/** Checks an array of some of `names`, and gives each once. */
export function choices<Name extends string>(
  value: unknown,
  argument: string,
  names: readonly [Name, ...Name[]],
): Name[] {
  if (!Array.isArray(value)) throw wrong('argument', argument, value, `an array of ${list(names)}`);
  const checked = Array.from(value, (name: unknown, i) => {
    if (name === undefined) throw wrong('argument', `${argument}[${i}]`, name, list(names));
    return choice(name, `${argument}[${i}]`, names);
  });
  return [...new Set(checked)];
}
