import { wrong } from '../check.js';
import { attentionFactor, everyPair, factor, geometric, originalMaxPosition } from './rule.js';
import type { Rule } from './rule.js';
import type { ScalingParameter } from './types.js';

const divisors = (name: string, meaning: ScalingParameter['meaning']): ScalingParameter => {
  return { name, kind: 'list', initial: null, required: true, low: 1e-6, high: 1e6, meaning };
};

/**
 * LongRoPE (Ding 2024, section 3): θ_i divided by a searched divisor per pair. The long list holds for
 * sequences longer than the trained length, strictly; the short one up to it. cos and sin ×
 * √(1 + ln s / ln L) at every length, short ones too.
 *
 * Pitfalls: at exactly L tokens the short list counts; the sequence decides, not the allocated cache;
 * crossing L changes every frequency, so cached keys must be turned anew.
 */
export const longrope: Rule = {
  description: {
    name: 'longrope',
    title: { zh: 'LongRoPE', en: 'LongRoPE' },
    year: 2024,
    paper: 'LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens',
    url: 'https://arxiv.org/abs/2402.13753',
    parameters: [
      divisors('shortFactor', {
        zh: '不超过训练长度时各对的除数',
        en: 'divisor of each pair up to the trained length',
      }),
      divisors('longFactor', {
        zh: '超过训练长度时各对的除数',
        en: 'divisor of each pair beyond the trained length',
      }),
      { ...originalMaxPosition, low: 2 },
      { ...factor, required: false },
      attentionFactor,
    ],
  },
  compute: ({ base, rotaryDim, length }, values) => {
    const { factor: stretch, originalMaxPosition: trained } = values as Record<string, number>;
    const given = values['attentionFactor'] as number | undefined;
    if (given === undefined && stretch === undefined) {
      throw wrong('argument', 'factor', stretch, 'a number from 1 to 1000000, or attentionFactor');
    }
    const long = length !== undefined && length > trained!;
    const list = values[long ? 'longFactor' : 'shortFactor'] as readonly number[];
    return {
      inverseFrequencies: geometric(base, rotaryDim).map((frequency, i) => frequency / list[i]!),
      attentionFactor: given ?? Math.sqrt(1 + Math.log(stretch!) / Math.log(trained!)),
      softmaxFactor: 1,
    };
  },
  kinds: (rotation) => everyPair(rotation, 'searched'),
};
