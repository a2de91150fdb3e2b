import { wrong } from '../check.js';
import { factor, geometric, kindsOfShares, originalMaxPosition, unscaled } from './rule.js';
import type { Rule, Values } from './rule.js';
import type { Rotation, ScalingParameter } from './types.js';

const beta = (
  name: string,
  initial: number,
  meaning: ScalingParameter['meaning'],
): ScalingParameter => {
  return { name, kind: 'real', initial, required: false, low: 1e-6, high: 1e6, meaning };
};

/** What NTK-by-parts and YaRN share. */
export const rampParameters: readonly ScalingParameter[] = [
  factor,
  originalMaxPosition,
  beta('betaFast', 32, {
    zh: '在训练长度内转得比这更多圈的对保持不变',
    en: 'pairs with more turns in the trained length are kept',
  }),
  beta('betaSlow', 1, {
    zh: '比这更少圈的对除以整个倍数',
    en: 'pairs with fewer turns are divided by the whole factor',
  }),
  {
    name: 'truncate',
    kind: 'flag',
    initial: true,
    required: false,
    meaning: {
      zh: '把过渡区两端向外取整到整对',
      en: 'rounds the ends of the ramp outward to whole pairs',
    },
  },
];

/**
 * The fractional pair that makes `turns` turns in `trained` positions (YaRN, appendix A.2):
 * d·ln(L/(2π·turns)) / (2·ln b).
 */
export const correctionPair = (
  turns: number,
  { base, rotaryDim }: Rotation,
  trained: number,
): number => (rotaryDim * Math.log(trained / (2 * Math.PI * turns))) / (2 * Math.log(base));

/**
 * First and last pair of the ramp, clamped to 0 … rotaryDim − 1 as in the paper's code. Where even the
 * slowest pair makes more turns than betaFast the ends may cross, and every pair is interpolated, as there.
 */
export function correctionRange(rotation: Rotation, values: Values): readonly [number, number] {
  const { betaFast, betaSlow, originalMaxPosition: trained } = values as Record<string, number>;
  if (!(rotation.base > 1)) throw wrong('range', 'base', rotation.base, 'a base above 1');
  if (betaFast! < betaSlow!) {
    throw wrong('range', 'betaFast', betaFast, `at least betaSlow (${betaSlow})`);
  }
  const low = correctionPair(betaFast!, rotation, trained!);
  const high = correctionPair(betaSlow!, rotation, trained!);
  const [first, last] =
    values['truncate'] === true ? [Math.floor(low), Math.ceil(high)] : [low, high];
  return [Math.max(first, 0), Math.min(last, rotation.rotaryDim - 1)];
}

/** The ramp r_i of each pair, from 0 (fast, kept) to 1 (slow, interpolated). */
function ramp(rotation: Rotation, values: Values): number[] {
  const [first, last] = correctionRange(rotation, values);
  const width = first === last ? 0.001 : last - first; // as in the paper's code: never divide by zero
  return Array.from({ length: rotation.rotaryDim / 2 }, (_, i) =>
    Math.min(Math.max((i - first) / width, 0), 1),
  );
}

/** θ_i/s·r_i + θ_i·(1 − r_i). */
export function rampedFrequencies(rotation: Rotation, values: Values): number[] {
  const stretch = values['factor'] as number;
  const slow = ramp(rotation, values);
  return geometric(rotation.base, rotation.rotaryDim).map(
    (frequency, i) => (frequency / stretch) * slow[i]! + frequency * (1 - slow[i]!),
  );
}

/** Bands of NTK-by-parts and YaRN. */
export const rampedKinds: Rule['kinds'] = (rotation, values) => {
  const kept = ramp(rotation, values).map((slow) => 1 - slow);
  return kindsOfShares(kept, values['factor']);
};

/** NTK-by-parts (bloc97 2023; YaRN, section 3.2): the frequencies of YaRN without its attention factor. */
export const byParts: Rule = {
  description: {
    name: 'ntk-by-parts',
    title: { zh: '分段 NTK', en: 'NTK-by-parts' },
    year: 2023,
    paper: 'YaRN: Efficient Context Window Extension of Large Language Models',
    url: 'https://arxiv.org/abs/2309.00071',
    parameters: rampParameters,
  },
  compute: (rotation, values) => unscaled(rampedFrequencies(rotation, values)),
  kinds: rampedKinds,
};
