import { everyPair, factor, geometric, unscaled } from './rule.js';
import type { Rule } from './rule.js';

/**
 * Position interpolation (Chen 2023, section 2.3, equation 4; kaiokendev): position m becomes m/s, which
 * is the same as every frequency divided by s. Fast pairs lose resolution, so it wants fine-tuning.
 * Pitfall: llama.cpp's `--rope-freq-scale` is 1/s.
 */
export const linear: Rule = {
  description: {
    name: 'linear',
    title: { zh: '线性内插 PI', en: 'linear interpolation (PI)' },
    year: 2023,
    paper: 'Extending Context Window of Large Language Models via Positional Interpolation',
    url: 'https://arxiv.org/abs/2306.15595',
    parameters: [factor],
  },
  compute: ({ base, rotaryDim }, values) => {
    const stretch = values['factor'] as number;
    return unscaled(geometric(base, rotaryDim).map((frequency) => frequency / stretch));
  },
  kinds: (rotation, { factor: stretch }) => everyPair(rotation, 'interpolated', stretch),
};
