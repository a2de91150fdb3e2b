import { integer, wrong } from '../check.js';
import { byParts } from './by-parts.js';
import { linear } from './linear.js';
import { llama3 } from './llama3.js';
import { longrope } from './longrope.js';
import { none } from './none.js';
import { dynamic, ntk } from './ntk.js';
import { readOptions } from './options.js';
import { proportional } from './proportional.js';
import type { Rule, Values } from './rule.js';
import type {
  Rotation,
  ScaledFrequencies,
  ScalingBand,
  ScalingDescription,
  ScalingOptions,
} from './types.js';
import { yarn } from './yarn.js';

const all = [none, linear, ntk, dynamic, byParts, yarn, longrope, llama3, proportional];

/** Every rule by name. */
export const rules: ReadonlyMap<string, Rule> = new Map(
  all.map((rule) => [rule.description.name, rule]),
);

/** What the rules are called and take, for sliders and tables. */
export const scalings: readonly ScalingDescription[] = all.map(({ description }) => description);

/**
 * The frequency table that a context-extension rule makes, in float64, and what it wants multiplied.
 * Needs no WebAssembly.
 *
 * @param rotation `base` at least 1; `rotaryDim` even, 2 … 4096; `length` 1 … 2^30
 * @param scaling the rule; default none
 * @throws PosencError that names the parameter: `base`, `rotaryDim`, `length`, `scaling.factor` …
 */
export function scaleFrequencies(
  rotation: Rotation,
  scaling: ScalingOptions = { type: 'none' },
): ScaledFrequencies {
  const { rule, values } = read(rotation, scaling);
  return rule.compute(rotation, values);
}

/**
 * What a context-extension rule does to which pairs: bands of neighbours it treats alike, in the order
 * of the pairs and without gaps. Needs no WebAssembly.
 *
 * @param rotation as for `scaleFrequencies`
 * @param scaling the rule; default none
 * @throws PosencError as `scaleFrequencies` does
 */
export function scalingBands(
  rotation: Rotation,
  scaling: ScalingOptions = { type: 'none' },
): ScalingBand[] {
  const { rule, values } = read(rotation, scaling);
  const kinds = rule.kinds(rotation, values);
  const starts = kinds.flatMap((kind, i) => (kind === kinds[i - 1] ? [] : [i]));
  return starts.map((first, i) => {
    return { kind: kinds[first]!, first, last: (starts[i + 1] ?? kinds.length) - 1 };
  });
}

/** Checks both arguments and finds the rule. */
function read(rotation: Rotation, scaling: ScalingOptions): { rule: Rule; values: Values } {
  if (typeof rotation !== 'object' || rotation === null) {
    throw wrong('argument', 'rotation', rotation, 'an object with base and rotaryDim');
  }
  const { base, rotaryDim, length } = rotation;
  if (typeof base !== 'number' || !(base >= 1 && base < Infinity)) {
    throw wrong(
      typeof base === 'number' ? 'range' : 'argument',
      'base',
      base,
      'a number of at least 1',
    );
  }
  if (integer(rotaryDim, 'rotaryDim', 2, 4096) % 2 !== 0) {
    throw wrong('range', 'rotaryDim', rotaryDim, 'an even number');
  }
  if (length !== undefined) integer(length, 'length', 1, 2 ** 30);
  return readOptions(rules, scaling, rotaryDim);
}
