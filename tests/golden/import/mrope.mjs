/** Rotations by positions of three coordinates. Position ids of a layout of text and images are not rotations. */

export const about = [
  'Rotations of q and k by positions (time, height, width). sections: pairs of each axis.',
  'rotated: a float64 rotation of the same input.',
];

export function waits({ outputs }) {
  return outputs.position_ids ? 'position ids of a layout of text and images' : null;
}

/** (axes, tokens) → (tokens, axes). */
function byToken({ shape: [axes, tokens], values }) {
  const out = [];
  for (let t = 0; t < tokens; t++) {
    for (let axis = 0; axis < axes; axis++) out.push(values[axis * tokens + t]);
  }
  return { shape: [tokens, axes], values: out };
}

export function convert(given) {
  const { attributes, inputs, outputs } = given;
  const headDim = attributes.head_dim;
  return ['q', 'k'].map((side) => ({
    name: `${given.name}/${side}`,
    from: given,
    numbers: {
      rotary_dim: attributes.rotary_dim ?? headDim,
      base: attributes.rope_theta,
      sections: attributes.mrope_section,
    },
    words: {
      layout: attributes.style,
      order: attributes.mrope_interleaved ? 'interleaved' : 'chunked',
    },
    tensors: {
      x: ['f32', inputs[side]],
      positions: ['i32', byToken(inputs.position_ids)],
      rotated: ['f64', outputs[`${side}_f64`]],
    },
  }));
}
