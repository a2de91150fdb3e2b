/** DeBERTa: logarithmic buckets, and the terms of disentangled attention. */

export const about = [
  'DeBERTa. buckets of query - key: huggingface clamps the row alone, microsoft the distance first.',
  'Attention: keys and queries (heads, 2*span, head_dim); c2c, c2p, p2c, total (batch, heads, T, T), all times scale.',
];

export function waits() {
  return null;
}

function buckets({ attributes, inputs, outputs }) {
  return {
    numbers: { buckets: attributes.bucket_size, max_distance: attributes.max_position },
    tensors: {
      distances: ['i32', inputs.relative_position],
      huggingface: ['i32', outputs.bucket_hf],
      microsoft: ['i32', outputs.bucket_microsoft],
    },
  };
}

function terms({ attributes, inputs, outputs }) {
  const { heads, position_buckets: count, max_relative_positions: most } = attributes;
  const split = ({ shape, values }) => {
    const [rows, ...rest] = shape;
    return { shape: [rows / heads, heads, ...rest], values };
  };
  return {
    numbers: { scale: attributes.score_scale, buckets: Math.max(count, 0), max_distance: most },
    tensors: {
      query: ['f32', split(inputs.q_f64)],
      key: ['f32', split(inputs.k_f64)],
      keys: ['f32', inputs.pos_key_f64],
      queries: ['f32', inputs.pos_query_f64],
      c2c: ['f64', split(outputs.c2c_f64)],
      c2p: ['f64', split(outputs.c2p_f64)],
      p2c: ['f64', split(outputs.p2c_f64)],
      total: ['f64', split(outputs.total_f64)],
    },
  };
}

export function convert(given) {
  const parts = 'relative_position' in given.inputs ? buckets(given) : terms(given);
  return [{ name: given.name, from: given, ...parts }];
}
