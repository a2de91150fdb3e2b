import { wrong } from '../check.js';
import { everyPair, factor, geometric, originalMaxPosition, unscaled } from './rule.js';
import type { Rule, Values } from './rule.js';
import type { Rotation } from './types.js';

/**
 * The base of which the slowest pair is stretched by `stretch` exactly: base·stretch^(d/(d−2)).
 * Pitfall: d is the rotated width, not that of the head. A single pair has no slower one to stretch.
 */
function biggerBase(base: number, stretch: number, rotaryDim: number): number {
  if (rotaryDim > 2) return base * stretch ** (rotaryDim / (rotaryDim - 2));
  throw wrong('range', 'rotaryDim', rotaryDim, 'at least 4 for NTK-aware scaling');
}

/** NTK-aware scaling (bloc97 2023): b' = b·s^(d/(d−2)); the fastest pair stays, the slowest becomes PI's. */
export const ntk: Rule = {
  description: {
    name: 'ntk',
    title: { zh: 'NTK 感知', en: 'NTK-aware' },
    year: 2023,
    paper: 'NTK-Aware Scaled RoPE (bloc97); restated in YaRN, section 3.1',
    url: 'https://arxiv.org/abs/2309.00071',
    parameters: [factor],
  },
  compute: ({ base, rotaryDim }, values) =>
    unscaled(geometric(biggerBase(base, values['factor'] as number, rotaryDim), rotaryDim)),
  kinds: (rotation, { factor: stretch }) => everyPair(rotation, 'rebased', stretch),
};

/**
 * Dynamic NTK (emozilla 2023): b' = b·(s·l/L − (s−1))^(d/(d−2)) for a sequence of l > L tokens, b up to L.
 * With `alpha` (Hunyuan) b' = b·α^(d/(d−2)) at every length.
 *
 * Pitfalls: the table depends on the whole sequence, so keys cached at a shorter length were turned by
 * another base: prefill and decode agree only when keys are cached before the rotation. After a long
 * sequence a short one starts from b again. A static table made for the greatest length is something else.
 */
export const dynamic: Rule = {
  description: {
    name: 'dynamic',
    title: { zh: '动态 NTK', en: 'dynamic NTK' },
    year: 2023,
    paper: 'Dynamically Scaled RoPE (emozilla); restated in YaRN, section 3.3',
    url: 'https://arxiv.org/abs/2309.00071',
    parameters: [
      factor,
      originalMaxPosition,
      {
        name: 'alpha',
        kind: 'real',
        initial: null,
        required: false,
        low: 1,
        high: 1e6,
        meaning: {
          zh: '混元的写法：任何长度都乘 alpha 的幂，不用倍数',
          en: "Hunyuan's form: a power of alpha at every length instead of the factor",
        },
      },
    ],
  },
  compute: (rotation, values) => {
    const { base, rotaryDim } = rotation;
    return unscaled(geometric(biggerBase(base, growth(rotation, values), rotaryDim), rotaryDim));
  },
  kinds: (rotation, values) => everyPair(rotation, 'rebased', growth(rotation, values)),
};

/** How far the slowest pair is stretched at this length. */
function growth({ length }: Rotation, values: Values): number {
  const { factor: stretch, originalMaxPosition: trained, alpha } = values as Record<string, number>;
  const longest = Math.max(length ?? 0, trained!);
  return alpha ?? (stretch! * longest) / trained! - (stretch! - 1);
}
