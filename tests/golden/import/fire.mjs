/** FIRE, by the code of the paper's appendix. */

export const about = [
  'FIRE. w1 (width, 1), b1 (width), w2 (heads, width), b2 (heads), bias (heads, queries, keys).',
];

export function waits() {
  return null;
}

export function convert(given) {
  const { inputs, outputs, attributes } = given;
  const { c, init_L: initialLength, L_multiplier: lengthMultiplier, eps } = attributes;
  const weights = ['w1', 'b1', 'w2', 'b2'].map((name) => [name, ['f32', inputs[name]]]);
  return [
    {
      name: given.name,
      from: given,
      numbers: {
        c,
        initial_length: initialLength,
        length_multiplier: lengthMultiplier,
        epsilon: eps,
      },
      tensors: { ...Object.fromEntries(weights), bias: ['f64', outputs.bias_f64] },
    },
  ];
}
