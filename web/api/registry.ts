import { checkOptions, list, unknownName, wrong } from './check.js';
import type { EncodingDescription, ParameterDescription } from './types.js';

/** A parameter's value as the user writes it. */
type Value = number | string | boolean;

/** A parameter as the module describes it: all values are numbers, and a choice is its index. */
type RawParameter = ParameterDescription & { readonly initial: number | null };

/** Turns the module's description into the public one. */
export function publicDescription(raw: EncodingDescription): EncodingDescription {
  return { ...raw, parameters: raw.parameters.map((p) => publicParameter(p as RawParameter)) };
}

function publicParameter(raw: RawParameter): ParameterDescription {
  const { low, high, choices, initial, ...rest } = raw;
  const value = initial === null ? null : decodeValue(raw, initial);
  if (raw.kind === 'choice') return { ...rest, initial: value, choices: choices! };
  if (raw.kind === 'flag') return { ...rest, initial: value };
  return { ...rest, initial: value, low: low!, high: high! };
}

/** What is allowed for a parameter, from its description: `an integer from 2 to 4096`. */
function allowedFor(parameter: ParameterDescription): string {
  const { kind, low, high, choices = [] } = parameter;
  if (kind === 'flag') return 'true or false';
  if (kind === 'choice') return list(choices);
  return `${kind === 'integer' ? 'an integer' : 'a number'} from ${low} to ${high}`;
}

/** Checks one option and turns it into the number the module reads; NaN when it was not given. */
function encodeValue(parameter: ParameterDescription, value: unknown): number {
  const { name, kind, required, low = -Infinity, high = Infinity, choices = [] } = parameter;
  const allowed = allowedFor(parameter);
  if (value === undefined) {
    if (required) throw wrong('argument', name, value, allowed);
    return NaN;
  }
  switch (kind) {
    case 'flag':
      if (typeof value !== 'boolean') throw wrong('argument', name, value, allowed);
      return value ? 1 : 0;
    case 'choice': {
      const index = (choices as readonly unknown[]).indexOf(value);
      if (index < 0) throw unknownName(name, value, choices);
      return index;
    }
    default:
      if (typeof value !== 'number') throw wrong('argument', name, value, allowed);
      if (!(value >= low && value <= high) || (kind === 'integer' && !Number.isInteger(value))) {
        throw wrong('range', name, value, allowed);
      }
      return value;
  }
}

/** Checks the options of an encoding: one number per parameter, in the order of the table. */
export function encodeOptions(
  description: EncodingDescription,
  options: object | undefined,
): number[] {
  const names = description.parameters.map((parameter) => parameter.name);
  const given = checkOptions(options, names, description.name) as Record<string, unknown>;
  return description.parameters.map((parameter) => encodeValue(parameter, given[parameter.name]));
}

/** The inverse of `encodeValue`. */
function decodeValue({ kind, choices = [] }: ParameterDescription, value: number): Value {
  if (kind === 'flag') return value !== 0;
  return kind === 'choice' ? choices[value]! : value;
}

/** The inverse of `encodeOptions`, for complete numbers. */
export function decodeOptions(
  { parameters }: EncodingDescription,
  values: ArrayLike<number>,
): Record<string, Value> {
  return Object.fromEntries(
    parameters.map((parameter, i) => [parameter.name, decodeValue(parameter, values[i]!)]),
  );
}

/** The rule of a fault that spans several parameters, with their values: `at most headDim (64)`. */
export function explainRule(rule: string, options: Record<string, Value>): string {
  return rule.replace(/[A-Za-z]+/g, (word) =>
    Object.hasOwn(options, word) ? `${word} (${options[word]})` : word,
  );
}
