import { wrong } from '../check.js';
import { factor, geometric, kindsOfShares, originalMaxPosition, unscaled } from './rule.js';
import type { Rule, Values } from './rule.js';
import type { Rotation, ScalingParameter } from './types.js';

const turns = (
  name: string,
  initial: number,
  meaning: ScalingParameter['meaning'],
): ScalingParameter => {
  return { name, kind: 'real', initial, required: false, low: 1e-6, high: 1e6, meaning };
};

/**
 * Llama 3.1's bands (The Llama 3 Herd of Models 2024, section 3.4.2; the formula is in Meta's code): by
 * its turns r = L/λ in the trained length a pair is divided by s (r < low), kept (r > high), or blended:
 * (1 − t)·θ/s + t·θ with t = (r − low)/(high − low).
 *
 * Pitfalls: blend frequencies, not wavelengths; Llama 3.2 1B and 3B have s = 32, the others 8; equal
 * low and high (Llama 4) mean a step without blending.
 */
export const llama3: Rule = {
  description: {
    name: 'llama3',
    title: { zh: 'Llama 3 分段', en: 'Llama 3 bands' },
    year: 2024,
    paper: 'The Llama 3 Herd of Models',
    url: 'https://arxiv.org/abs/2407.21783',
    parameters: [
      factor,
      originalMaxPosition,
      turns('lowFreqFactor', 1, {
        zh: '在训练长度内少于这么多圈：除以倍数',
        en: 'fewer turns in the trained length: divided by the factor',
      }),
      turns('highFreqFactor', 4, { zh: '多于这么多圈：保持不变', en: 'more turns: kept' }),
    ],
  },
  compute: (rotation, values) => {
    const stretch = values['factor'] as number;
    const kept = keptShares(rotation, values);
    return unscaled(
      geometric(rotation.base, rotation.rotaryDim).map(
        (frequency, i) => ((1 - kept[i]!) * frequency) / stretch + kept[i]! * frequency,
      ),
    );
  },
  kinds: (rotation, values) => kindsOfShares(keptShares(rotation, values), values['factor']),
};

/** Share of each pair's frequency that is kept: t above. */
function keptShares({ base, rotaryDim }: Rotation, values: Values): number[] {
  const {
    originalMaxPosition: trained,
    lowFreqFactor: low,
    highFreqFactor: high,
  } = values as Record<string, number>;
  if (high! < low!) {
    throw wrong('range', 'highFreqFactor', high, `at least lowFreqFactor (${low})`);
  }
  return geometric(base, rotaryDim).map((frequency) => {
    const wavelength = (2 * Math.PI) / frequency;
    if (wavelength > trained! / low!) return 0;
    if (wavelength < trained! / high! || high === low) return 1;
    return (trained! / wavelength - low!) / (high! - low!);
  });
}
