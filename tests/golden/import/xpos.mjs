/** xPos: torchscale's factors and rotations, in float64. */

export const about = [
  'Rotations of q and k by xPos. centre: the position whose factor is 1.',
  'scores: products of the rotated q and k, without a scale. scale: the factors of q.',
];

export function waits() {
  return null;
}

/** (heads, tokens, head_dim) → (1, heads, tokens, head_dim). */
function batched({ shape, values }) {
  return { shape: [1, ...shape], values };
}

export function convert(given) {
  const { attributes, inputs, outputs } = given;
  return [
    {
      name: given.name,
      from: given,
      numbers: { scale_base: attributes.scale_base, centre: -attributes.min_pos },
      tensors: {
        q: ['f32', batched(inputs.q)],
        k: ['f32', batched(inputs.k)],
        scale: ['f64', outputs.scale_f64],
        rotated_q: ['f64', batched(outputs.q_f64)],
        rotated_k: ['f64', batched(outputs.k_f64)],
        scores: ['f64', batched(outputs.scores_f64)],
      },
    },
  ];
}
