import { rampParameters, rampedFrequencies, rampedKinds } from './by-parts.js';
import { attentionFactor } from './rule.js';
import type { Rule } from './rule.js';
import type { ScalingParameter } from './types.js';

const mscale = (name: string, meaning: ScalingParameter['meaning']): ScalingParameter => {
  return { name, kind: 'real', initial: null, required: false, low: 0, high: 1e3, meaning };
};

/** DeepSeek's temperature: 0.1·m·ln s + 1 (1 for s ≤ 1). The paper's √(1/t) is that of m = 1. */
export const temperature = (stretch: number, m = 1): number =>
  stretch <= 1 ? 1 : 0.1 * m * Math.log(stretch) + 1;

/**
 * YaRN (Peng 2023, section 3.4, equations 21 and 22): NTK-by-parts, and cos and sin × (0.1·ln s + 1).
 *
 * Who multiplies what:
 * - `attentionFactor` replaces the factor on cos and sin;
 * - `mscale` and `mscaleAllDim` together: cos and sin × temperature(s, mscale) / temperature(s,
 *   mscaleAllDim), 1 for DeepSeek-V3, and the softmax scale × temperature(s, mscaleAllDim)²;
 * - `mscale` alone has no effect in transformers, which is followed here. (mlx-lm and TGI take
 *   temperature(s, mscale): give that as `attentionFactor`.)
 *
 * Pitfalls: the softmax factor uses mscaleAllDim, never mscale; 0 counts as absent; the table is static,
 * so short texts are scaled too.
 */
export const yarn: Rule = {
  description: {
    name: 'yarn',
    title: { zh: 'YaRN', en: 'YaRN' },
    year: 2023,
    paper: 'YaRN: Efficient Context Window Extension of Large Language Models',
    url: 'https://arxiv.org/abs/2309.00071',
    parameters: [
      ...rampParameters,
      attentionFactor,
      mscale('mscale', {
        zh: 'DeepSeek 的温度系数（用于 cos 与 sin 的分子）',
        en: "DeepSeek's temperature, above the line for cos and sin",
      }),
      mscale('mscaleAllDim', {
        zh: 'DeepSeek 的温度系数（分母；其平方乘到 softmax 系数上）',
        en: "DeepSeek's temperature, below the line; its square multiplies the softmax scale",
      }),
    ],
  },
  compute: (rotation, values) => {
    const {
      factor: stretch,
      attentionFactor: given,
      mscale: upper,
      mscaleAllDim: lower,
    } = values as Record<string, number | undefined>;
    const both = upper && lower;
    const initial = both
      ? temperature(stretch!, upper) / temperature(stretch!, lower)
      : temperature(stretch!);
    return {
      inverseFrequencies: rampedFrequencies(rotation, values),
      attentionFactor: given ?? initial,
      softmaxFactor: lower ? temperature(stretch!, lower) ** 2 : 1,
    };
  },
  kinds: rampedKinds,
};
