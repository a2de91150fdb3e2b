/** Rotations by positions of three coordinates, and the positions of a layout of text and images. */

export const about = [
  'Rotations of q and k by positions (time, height, width). sections: pairs of each axis.',
  'rotated: a float64 rotation of the same input.',
  'Layouts: kinds (rows, tokens) with 0 = padding, 1 = text, 2 = image; grids (images, 3) of patches in the order of the',
  'rows; places (rows, tokens, 3), those of padding without meaning; deltas (rows).',
];

export function waits() {
  return null;
}

/** Rows of text and images, with the places that the reference gives their tokens. */
function layout(given) {
  const { attributes, inputs, outputs } = given;
  const { input_ids: ids, attention_mask: mask } = inputs;
  const [rows, tokens] = ids.shape;
  const kind = (id, i) => {
    if (mask.values[i] === 0) return 0;
    return id === attributes.image_token_id ? 2 : 1;
  };
  const grids = attributes.image_grid_thw;
  const all = byToken({ shape: [3, rows * tokens], values: outputs.position_ids.values });
  return {
    name: given.name,
    from: given,
    numbers: { merge: attributes.spatial_merge_size },
    tensors: {
      kinds: ['i32', { shape: [rows, tokens], values: ids.values.map(kind) }],
      grids: ['i32', { shape: [grids.length, 3], values: grids.flat() }],
      places: ['i32', { shape: [rows, tokens, 3], values: all.values }],
      deltas: ['i32', { shape: [rows], values: outputs.deltas.values }],
    },
  };
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
  if (outputs.position_ids) return [layout(given)];
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
