import { checkAttached, float32, typedArrayName } from './array.js';
import type { ArrayOption } from './block.js';
import { checkOptions, list, unknownName, wrong } from './check.js';
import { ResidentTensor } from './tensor.js';
import type { EncodingDescription, ParameterDescription } from './types.js';

/** A parameter's value as the user writes it. */
type Value = number | string | boolean | ArrayOption['data'];

/** A parameter as the module describes it: all values are numbers, and a choice is its index. */
type RawParameter = ParameterDescription & { readonly initial: number | null };

/** An encoding as the module describes it. */
export type RawDescription = Omit<EncodingDescription, 'users'> & { readonly users: string };

/** Turns the module's description into the public one. */
export function publicDescription(raw: RawDescription): EncodingDescription {
  return {
    ...raw,
    users: raw.users === '' ? [] : raw.users.split(', '),
    parameters: raw.parameters.map((p) => publicParameter(p as RawParameter)),
  };
}

function publicParameter(raw: RawParameter): ParameterDescription {
  const { low, high, choices, initial, ...rest } = raw;
  const value = initial === null ? null : decodeNumber(raw, initial);
  if (raw.kind === 'choice') return { ...rest, initial: value, choices: choices! };
  if (raw.kind === 'flag' || raw.kind === 'tensor') return { ...rest, initial: value };
  return { ...rest, initial: value, low: low!, high: high! };
}

/** What is allowed for a parameter, from its description: `an integer from 2 to 4096`. */
function allowedFor(parameter: ParameterDescription): string {
  const { kind, low, high, choices = [] } = parameter;
  switch (kind) {
    case 'flag':
      return 'true or false';
    case 'choice':
      return list(choices);
    case 'tensor':
      return 'a Float32Array or a tensor';
    case 'doubles':
      return 'an array of numbers or a Float64Array';
    case 'integer':
      return `an integer from ${low} to ${high}`;
    case 'real':
      return `a number from ${low} to ${high}`;
  }
}

/** Checks one option that is not an array and turns it into the number the module reads. */
function encodeNumber(parameter: ParameterDescription, value: unknown): number {
  const { name, kind, low = -Infinity, high = Infinity, choices = [] } = parameter;
  const allowed = allowedFor(parameter);
  if (kind === 'flag') {
    if (typeof value !== 'boolean') throw wrong('argument', name, value, allowed);
    return value ? 1 : 0;
  }
  if (kind === 'choice') {
    const index = (choices as readonly unknown[]).indexOf(value);
    if (index < 0) throw unknownName(name, value, choices);
    return index;
  }
  if (typeof value !== 'number') throw wrong('argument', name, value, allowed);
  if (!(value >= low && value <= high) || (kind === 'integer' && !Number.isInteger(value))) {
    throw wrong('range', name, value, allowed);
  }
  return value;
}

/** Checks an option that is an array: a frozen copy of `doubles`, a `tensor` itself. */
function checkArray(parameter: ParameterDescription, value: unknown): ArrayOption['data'] {
  const { name, kind } = parameter;
  if (kind === 'tensor') {
    if (ResidentTensor.is(value)) return value;
    const array = float32(value, name, ' or a tensor');
    if (array.length === 0) throw wrong('shape', name, value, 'at least one number');
    return array;
  }
  if (!Array.isArray(value) && typedArrayName(value) !== 'Float64Array') {
    throw wrong('argument', name, value, allowedFor(parameter));
  }
  const given = value as ArrayLike<unknown>;
  if (!Array.isArray(value)) checkAttached((value as Float64Array).buffer, name);
  if (given.length === 0) throw wrong('shape', name, value, 'at least one number');
  const number = { ...parameter, kind: 'real' } as const;
  const copy: number[] = [];
  for (let i = 0; i < given.length; i++) {
    copy.push(encodeNumber({ ...number, name: `${name}[${i}]` }, given[i]));
  }
  return Object.freeze(copy);
}

/** The checked options of an encoding. */
export interface EncodedOptions {
  /** One number per parameter, in the order of the table; NaN where none was given, and for arrays. */
  readonly values: readonly number[];
  readonly arrays: readonly ArrayOption[];
}

/** Checks the options of an encoding. */
export function encodeOptions(
  description: EncodingDescription,
  options: object | undefined,
): EncodedOptions {
  const names = description.parameters.map((parameter) => parameter.name);
  const given = checkOptions(options, names, description.name) as Record<string, unknown>;
  const arrays: ArrayOption[] = [];
  const values = description.parameters.map((parameter, index) => {
    const { name, kind, required } = parameter;
    const value = given[name];
    if (value === undefined) {
      if (required) throw wrong('argument', name, value, allowedFor(parameter));
      return NaN;
    }
    if (kind !== 'doubles' && kind !== 'tensor') return encodeNumber(parameter, value);
    const data = checkArray(parameter, value);
    arrays.push({ name, index, data, count: 'length' in data ? data.length : data.size });
    return NaN;
  });
  return { values, arrays };
}

/** The inverse of `encodeNumber`. */
function decodeNumber(
  { kind, choices = [] }: ParameterDescription,
  value: number,
): number | string | boolean {
  if (kind === 'flag') return value !== 0;
  return kind === 'choice' ? choices[value]! : value;
}

/** The inverse of `encodeOptions`; what was not given and has no default is left out. */
export function decodeOptions(
  { parameters }: EncodingDescription,
  values: ArrayLike<number>,
  arrays: readonly ArrayOption[],
): Record<string, Value> {
  const options: Record<string, Value> = {};
  for (const [index, parameter] of parameters.entries()) {
    const { name, kind } = parameter;
    if (kind !== 'doubles' && kind !== 'tensor') {
      const value = values[index]!;
      if (!Number.isNaN(value)) options[name] = decodeNumber(parameter, value);
      continue;
    }
    const array = arrays.find((one) => one.index === index);
    if (array !== undefined) options[name] = array.data;
  }
  return options;
}

/** The rule of a fault that spans several parameters, with their values: `at most headDim (64)`. */
export function explainRule(rule: string, options: Record<string, Value>): string {
  return rule.replace(/[A-Za-z]+/g, (word) => {
    const value = Object.hasOwn(options, word) ? options[word] : undefined;
    return value === undefined || typeof value === 'object' ? word : `${word} (${value})`;
  });
}
