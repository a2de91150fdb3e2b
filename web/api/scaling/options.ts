import { checkOptions, unknownName, wrong } from '../check.js';
import type { PosencError } from '../error.js';
import type { Rule, Values } from './rule.js';
import type { ScalingParameter } from './types.js';

/** What is allowed for a parameter, in words. */
export function allowedFor({ kind, low, high }: ScalingParameter): string {
  if (kind === 'flag') return 'true or false';
  const numbers = `from ${low} to ${high}`;
  if (kind === 'list') return `a list of one number ${numbers} for each pair`;
  return `${kind === 'integer' ? 'an integer' : 'a number'} ${numbers}`;
}

/** What a stretch below 1 may have meant. */
export const factorHint = (name: string, value: unknown): string =>
  name === 'factor' && typeof value === 'number' && value > 0 && value < 1
    ? ` (llama.cpp's --rope-freq-scale is 1/factor: did you mean ${Number((1 / value).toPrecision(6))}?)`
    : '';

/**
 * Checks the options of a scaling and finds its rule.
 * Throws `PosencError` that names the parameter, as `scaling.factor`.
 */
export function readOptions(
  rules: ReadonlyMap<string, Rule>,
  scaling: unknown,
  rotaryDim: number,
): { rule: Rule; values: Values } {
  if (typeof scaling !== 'object' || scaling === null || Array.isArray(scaling)) {
    throw wrong('argument', 'scaling', scaling, 'an object with type and the parameters of a rule');
  }
  const type = (scaling as { type?: unknown }).type;
  const rule = typeof type === 'string' ? rules.get(type) : undefined;
  if (rule === undefined) throw unknownName('scaling.type', type, [...rules.keys()]);
  const { name: owner, parameters } = rule.description;
  const keys = ['type', ...parameters.map(({ name }) => name)];
  const given = checkOptions(scaling, keys, owner, 'scaling') as Record<string, unknown>;
  const values = parameters.map((parameter) => {
    return [parameter.name, readValue(parameter, given[parameter.name], rotaryDim)];
  });
  return { rule, values: Object.fromEntries(values) as Values };
}

function readValue(parameter: ScalingParameter, value: unknown, rotaryDim: number): unknown {
  const { name, kind, initial, required } = parameter;
  const fault = (code: 'argument' | 'range' | 'shape', where = name, given = value): PosencError =>
    wrong(code, `scaling.${where}`, given, allowedFor(parameter) + factorHint(name, given));
  if (value === undefined) {
    if (required) throw fault('argument');
    return initial ?? undefined;
  }
  if (kind === 'flag') {
    if (typeof value !== 'boolean') throw fault('argument');
    return value;
  }
  if (kind !== 'list') {
    if (typeof value !== 'number') throw fault('argument');
    if (!inRange(parameter, value)) throw fault('range');
    return value;
  }
  if (!Array.isArray(value)) throw fault('argument');
  const list = Array.from(value as readonly unknown[]);
  if (list.length !== rotaryDim / 2) {
    const allowed = `${rotaryDim / 2} numbers, one for each pair`;
    throw wrong('shape', `scaling.${name}`, value, allowed);
  }
  const bad = list.findIndex((entry) => typeof entry !== 'number' || !inRange(parameter, entry));
  if (bad >= 0) throw fault('range', `${name}[${bad}]`, list[bad]);
  return list;
}

function inRange({ kind, low = -Infinity, high = Infinity }: ScalingParameter, value: number) {
  return value >= low && value <= high && (kind !== 'integer' || Number.isInteger(value));
}
