/** Rotations of queries and keys by named implementations: what was run agrees with the float64 rotation kept here. */

export const about = [
  'Rotations of q and k. rotated: an independent float64 rotation of the same input.',
  'scores (where given): products of the rotated q and k, without a scale.',
];

export function waits() {
  return null;
}

function layoutOf({ style }) {
  return style.startsWith('interleaved') ? 'interleaved' : 'half';
}

export function convert(given) {
  const { attributes, inputs, outputs } = given;
  const { rotary_dim: rotaryDim, base = 10000 } = attributes;
  const cases = ['q', 'k'].map((side) => {
    const list = attributes[side === 'q' ? 'query_positions' : 'key_positions'];
    const positions = list ?? attributes.positions;
    const rotated = outputs[`${side}_f64`] ?? outputs[`${side}_interleaved_layout_f64`];
    return {
      name: `${given.name}/${side}`,
      from: given,
      numbers: { rotary_dim: rotaryDim, base },
      words: { layout: layoutOf(attributes) },
      tensors: {
        x: ['f32', inputs[side]],
        positions: ['i32', { shape: [positions.length], values: positions }],
        rotated: ['f64', rotated],
      },
    };
  });
  if (outputs.scores_f64) cases[0].tensors.scores = ['f64', outputs.scores_f64];
  if (outputs.scores_f64) cases[0].tensors.key = ['f32', inputs.k];
  return cases;
}
