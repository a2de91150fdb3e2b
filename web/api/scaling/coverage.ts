import { integer, wrong } from '../check.js';
import type { PairCoverage } from './types.js';

/** Rounding of a product such as factor · wavelength must not count as a step into the unknown. */
const ROUNDING = 1e-9;

/**
 * How much of each pair's circle training has covered, and whether a sequence of `length` tokens stays
 * within it. Over L tokens a pair of wavelength λ makes L/λ turns: a full one shows every angle, less
 * shows an arc. A rule that multiplies λ by its divisor d slows the pair, so that `length` tokens make
 * length/(d·λ) turns; they are in distribution when training made as many, or a full one (the argument
 * of YaRN, Peng 2023, section 3.2). Needs no WebAssembly.
 *
 * @param pairs `wavelengths` with the rule and `divisors` of the frequencies, one per pair that turns, as
 *   a `LayerGroup` of `inspect` has them
 * @param trained tokens that pairs turned through in training (trained length or window, the shorter)
 * @param length tokens asked for (or the window where that is shorter)
 * @throws PosencError `pairs`, `trained` or `length`
 */
export function pairCoverage(
  pairs: { readonly wavelengths: readonly number[]; readonly divisors: readonly number[] },
  trained: number,
  length: number,
): PairCoverage[] {
  integer(trained, 'trained', 1, 2 ** 30);
  integer(length, 'length', 1, 2 ** 30);
  const wavelengths = positive(pairs, 'wavelengths');
  const divisors = positive(pairs, 'divisors');
  if (wavelengths.length !== divisors.length) {
    throw wrong('shape', 'pairs.divisors', divisors, `${wavelengths.length} numbers, one for each`);
  }
  return wavelengths.map((wavelength, i) => {
    const shown = (trained * divisors[i]!) / wavelength;
    const turns = length / wavelength;
    const inDistribution = shown >= 1 || turns <= shown * (1 + ROUNDING);
    return { covered: Math.min(1, shown), turns, inDistribution };
  });
}

/** A list of `pairs`, checked. */
function positive(pairs: unknown, name: 'wavelengths' | 'divisors'): readonly number[] {
  if (typeof pairs !== 'object' || pairs === null) {
    throw wrong('argument', 'pairs', pairs, 'an object with wavelengths and divisors');
  }
  const list = (pairs as Record<string, unknown>)[name];
  if (!Array.isArray(list)) throw wrong('argument', `pairs.${name}`, list, 'a list of numbers');
  const bad = list.findIndex(
    (value) => !(typeof value === 'number' && value > 0 && value < Infinity),
  );
  if (bad < 0) return list as number[];
  throw wrong('range', `pairs.${name}[${bad}]`, list[bad], 'a number above 0');
}
