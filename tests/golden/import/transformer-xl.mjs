/** Transformer-XL: the sinusoid of its distances, and attention with r given. */

export const about = [
  'Transformer-XL. rows (distances, width) is the sinusoid; the source lists distances falling.',
  'Attention: vectors (heads, distances, head_dim) = r by rising distance, u and v (heads, head_dim).',
  'The queries are the last of the keys. hidden (queries, keys) = 1 where the source means nothing.',
];

export function waits({ name, outputs }) {
  return 'emb' in outputs || 'out_f64' in outputs ? null : `a reader for ${name}`;
}

/** Reorders axes: axis i of the result is axis order[i] of the source. */
export function transpose({ shape, values }, order) {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const sizes = order.map((axis) => shape[axis]);
  const out = values.map((_, flat) => {
    let rest = flat;
    let at = 0;
    for (let i = sizes.length - 1; i >= 0; i--) {
      at += (rest % sizes[i]) * strides[order[i]];
      rest = Math.floor(rest / sizes[i]);
    }
    return values[at];
  });
  return { shape: sizes, values: out };
}

/** [distance, heads, d], falling distances, to (heads, distance, d), rising. */
function rising({ shape, values }) {
  const size = shape[1] * shape[2];
  const rows = Array.from({ length: shape[0] }, (_, t) => values.slice(t * size, (t + 1) * size));
  return transpose({ shape, values: rows.reverse().flat() }, [1, 0, 2]);
}

export function convert(given) {
  const { inputs, outputs } = given;
  if ('emb' in outputs) {
    const { shape, values } = outputs.emb;
    const positions = Array.from({ length: shape[0] }, (_, i) => shape[0] - 1 - i);
    const tensors = {
      positions: ['i32', { shape: [shape[0]], values: positions }],
      rows: ['f32', { shape, values }],
    };
    return [{ name: given.name, from: given, numbers: { width: shape[1] }, tensors }];
  }
  const tokens = (tensor) => ['f32', transpose(tensor, [1, 2, 0, 3])];
  return [
    {
      name: given.name,
      from: given,
      numbers: { scale: given.attributes.scale },
      tensors: {
        query: tokens(inputs.q),
        key: tokens(inputs.k),
        value: tokens(inputs.v),
        vectors: ['f32', rising(inputs.r)],
        u: ['f32', inputs.u_r_w_bias],
        v: ['f32', inputs.v_r_r_bias],
        hidden: ['u8', outputs.mask],
        scores: ['f64', transpose(outputs.scores_f64, [2, 3, 0, 1])],
        output: ['f64', transpose(outputs.out_f64, [1, 2, 0, 3])],
      },
    },
  ];
}
