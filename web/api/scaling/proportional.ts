import { factor, geometric, unscaled } from './rule.js';
import type { Rule } from './rule.js';

/**
 * p-RoPE (Barbero 2024, section 6), `proportional` in Gemma 4: the ⌊p·d/2⌋ fastest pairs turn, the others
 * have frequency 0. Pitfall: unlike partial rotation the exponent still divides by the full width d, and
 * in the half layout the pairs are (i, i + d/2).
 */
export const proportional: Rule = {
  description: {
    name: 'proportional',
    title: { zh: 'p-RoPE（按比例）', en: 'p-RoPE (proportional)' },
    year: 2024,
    paper: 'Round and Round We Go! What makes Rotary Positional Encodings useful?',
    url: 'https://arxiv.org/abs/2410.06205',
    parameters: [
      {
        name: 'partialRotaryFactor',
        kind: 'real',
        initial: null,
        required: true,
        low: 0,
        high: 1,
        meaning: { zh: '转动的对所占比例', en: 'share of the pairs that turn' },
      },
      { ...factor, initial: 1, required: false },
    ],
  },
  compute: ({ base, rotaryDim }, values) => {
    const { partialRotaryFactor: share, factor: stretch } = values as Record<string, number>;
    const turning = Math.floor((share! * rotaryDim) / 2);
    return unscaled(
      geometric(base, rotaryDim).map((frequency, i) => (i < turning ? frequency / stretch! : 0)),
    );
  },
};
