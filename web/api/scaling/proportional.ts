import { everyPair, factor, geometric, unscaled } from './rule.js';
import type { Rule, Values } from './rule.js';
import type { Rotation } from './types.js';

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
  compute: (rotation, values) => {
    const { base, rotaryDim } = rotation;
    const stretch = values['factor'] as number;
    const turning = turningPairs(rotation, values);
    return unscaled(
      geometric(base, rotaryDim).map((frequency, i) => (i < turning ? frequency / stretch : 0)),
    );
  },
  kinds: (rotation, values) => {
    const turning = turningPairs(rotation, values);
    const kinds = everyPair(rotation, 'interpolated', values['factor']);
    return kinds.map((kind, i) => (i < turning ? kind : 'still'));
  },
};

const turningPairs = ({ rotaryDim }: Rotation, values: Values): number =>
  Math.floor(((values['partialRotaryFactor'] as number) * rotaryDim) / 2);
