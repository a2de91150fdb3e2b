import { everyPair, geometric, unscaled } from './rule.js';
import type { Rule } from './rule.js';

/** RoPE as it is (Su 2021, section 3.2.2): θ_i = base^(−2i/d), d the rotated width. */
export const none: Rule = {
  description: {
    name: 'none',
    title: { zh: '不缩放', en: 'no scaling' },
    year: 2021,
    paper: 'RoFormer: Enhanced Transformer with Rotary Position Embedding',
    url: 'https://arxiv.org/abs/2104.09864',
    parameters: [],
  },
  compute: ({ base, rotaryDim }) => unscaled(geometric(base, rotaryDim)),
  kinds: (rotation) => everyPair(rotation, 'kept'),
};
